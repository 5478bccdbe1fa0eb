/// The settings of fault injection: a profile, and the seed of its random numbers.
package struct ChaosConfiguration: Hashable, Sendable {
    package var profile: ChaosProfile
    /// The seed of the random numbers; with an equal seed, the same events of a room get the same faults.
    package var seed: UInt64

    package init(profile: ChaosProfile, seed: UInt64) {
        self.profile = profile
        self.seed = seed
    }
}
