internal import FoundationEssentials

/// The wall-clock time, which other machines share and which may jump.
enum WallClock {
    /// The seconds since 1970.
    static var seconds: Int { Int(Date.now.timeIntervalSince1970) }
}
