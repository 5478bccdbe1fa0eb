import FuzzTargets
import FuzzWire
import Testing

/// Tests that run the fuzz targets with stored and mutated inputs.
///
/// libFuzzer found the stored inputs. `make fuzz` and `make long` search for more.
@Suite("Fuzz targets")
struct FuzzTargetsTests {
    struct Target: CustomTestStringConvertible, Sendable {
        let name: String
        /// The number of mutated inputs to run, which takes one or two seconds.
        let mutations: Int
        let take: @Sendable (UnsafeRawBufferPointer) -> Void

        var testDescription: String { name }
    }

    private static let targets = [
        Target(name: "Codec", mutations: 100_000, take: CodecTarget.take),
        Target(name: "Descriptions", mutations: 5_000, take: DescriptionsTarget.take),
        Target(name: "Candidates", mutations: 20_000, take: CandidatesTarget.take),
        Target(name: "Parsers", mutations: 20_000, take: ParsersTarget.take),
        Target(name: "Chat", mutations: 10_000, take: ChatTarget.take),
        Target(name: "RTMP", mutations: 10_000, take: RTMPTarget.take),
        Target(name: "Front", mutations: 5_000, take: FrontTarget.take),
    ]

    @Test("A fuzz target processes its stored inputs without a crash", arguments: targets)
    func kept(target: Target) throws {
        let corpus = try Corpus(target.name)
        #expect(!corpus.inputs.isEmpty)
        for input in corpus.inputs { input.bytes.withUnsafeBytes(target.take) }
    }

    @Test("A fuzz target processes mutated inputs without a crash", arguments: targets)
    func changed(target: Target) throws {
        var mutation = Mutation(of: try Corpus(target.name), seed: 1)
        for _ in 0..<target.mutations { mutation.next().withUnsafeBytes(target.take) }
    }
}
