internal import FoundationEssentials

/// The time that people and other machines know, which may jump.
enum WallClock {
    /// Since 1970.
    static var seconds: Int { Int(Date.now.timeIntervalSince1970) }
}
