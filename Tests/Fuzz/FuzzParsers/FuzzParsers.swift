internal import FuzzDriver
internal import FuzzWire

@main
enum FuzzParsers {
    static func main() { fuzz(ParsersTarget.take) }
}
