internal import FuzzDriver
internal import FuzzTargets

@main
enum FuzzCandidates {
    static func main() { fuzz(CandidatesTarget.take) }
}
