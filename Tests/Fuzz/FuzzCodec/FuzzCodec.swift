internal import FuzzDriver
internal import FuzzTargets

@main
enum FuzzCodec {
    static func main() { fuzz(CodecTarget.take) }
}
