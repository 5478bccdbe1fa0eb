/// The settings of fault injection: a profile, and the seed of its random numbers.
package struct ChaosConfiguration: Hashable, Sendable {
    package var profile: ChaosProfile
    /// The seed; the same seed gives the same events of a room the same faults.
    package var seed: UInt64

    package init(profile: ChaosProfile, seed: UInt64) {
        self.profile = profile
        self.seed = seed
    }
}
