internal import ArgumentParser
internal import SignalingServer

/// The flags for the faults that a server injects on purpose.
struct ChaosFlags: ParsableArguments {
    /// The range of seeds that are chosen without `--seed`; they are short, so that a user can type them
    /// again.
    private static let ownSeeds: ClosedRange<Int> = 1...999_999
    /// The range of valid seeds: the nonnegative integers that JSON numbers represent exactly.
    private static let seeds: ClosedRange<Int> = 0...9_007_199_254_740_991

    private static let hint = "`callrunner serve --help` describes each profile"

    @Option(
        help: ArgumentHelp(
            "Inject the faults of a profile; the value list prints the names of the profiles",
            .chaos,
            "profile"
        )
    )
    var chaos: String?

    @Option(
        help: ArgumentHelp(
            "Seed of the random faults of --chaos, to repeat them",
            .seed,
            "n",
            otherwise: "random, and printed"
        )
    )
    var seed: String?

    /// The fault profiles with their summaries, one per line.
    static var table: String {
        ChaosName.allCases
            .map { name in
                let padding = String(repeating: " ", count: 14 - name.rawValue.count)
                return "  \(name.rawValue)\(padding)\(name.summary)"
            }
            .joined(separator: "\n")
    }

    /// Creates the configuration of the faults from the flags and settings; nil without a profile.
    ///
    /// - Throws: `Failure` with exit code 64.
    func configuration(_ settings: Settings) throws(Failure) -> ChaosConfiguration? {
        let seed = try settings.value(.seed, seed, SettingText.number(in: Self.seeds))
        guard let text = try settings.text(.chaos, chaos) else {
            guard self.seed == nil else {
                throw .usage("--seed needs --chaos", hint: Self.hint)
            }
            return nil
        }
        if text == "list" {
            let names = ChaosName.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("the profiles of --chaos are \(names)", hint: Self.hint)
        }
        let profile: ChaosProfile
        do throws(ChaosProfileError) { profile = try ChaosProfile(text) } catch {
            throw .usage("--chaos: \(error)", hint: Self.hint)
        }
        return ChaosConfiguration(profile: profile, seed: UInt64(seed ?? .random(in: Self.ownSeeds)))
    }
}
