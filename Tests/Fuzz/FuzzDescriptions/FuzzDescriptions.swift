internal import FuzzDriver
internal import FuzzTargets

@main
enum FuzzDescriptions {
    static func main() { fuzz(DescriptionsTarget.take) }
}
