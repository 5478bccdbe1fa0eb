internal import FuzzDriver
internal import FuzzWire

@main
enum FuzzChat {
    static func main() { fuzz(ChatTarget.take) }
}
