internal import FuzzDriver
internal import FuzzWire

@main
enum FuzzRTMP {
    static func main() { fuzz(RTMPTarget.take) }
}
