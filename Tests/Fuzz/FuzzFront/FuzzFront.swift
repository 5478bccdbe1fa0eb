internal import FuzzDriver
internal import FuzzTargets

@main
enum FuzzFront {
    static func main() { fuzz(FrontTarget.take) }
}
