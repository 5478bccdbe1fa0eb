internal import FuzzDriver
internal import FuzzWire

@main
enum FuzzCodec {
    static func main() { fuzz(CodecTarget.take) }
}
