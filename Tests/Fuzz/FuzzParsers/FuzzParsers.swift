internal import FuzzDriver
internal import FuzzTargets

@main
enum FuzzParsers {
    static func main() { fuzz(ParsersTarget.take) }
}
