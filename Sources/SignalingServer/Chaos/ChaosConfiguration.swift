/// What a server that misbehaves on purpose does wrong, and from where its dice begin.
package struct ChaosConfiguration: Hashable, Sendable {
    package var profile: ChaosProfile
    /// With the same seed the same events of a room meet the same fate.
    package var seed: UInt64

    package init(profile: ChaosProfile, seed: UInt64) {
        self.profile = profile
        self.seed = seed
    }
}
