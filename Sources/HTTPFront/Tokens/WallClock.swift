internal import FoundationEssentials

/// The wall-clock time, which can be compared with other computers' clocks but may jump.
package enum WallClock {
    /// The current time in whole seconds since 1970.
    package static var seconds: Int { Int(Date.now.timeIntervalSince1970) }

    /// The current time in microseconds since 1970.
    package static var microseconds: Int64 { Int64(Date.now.timeIntervalSince1970 * 1e6) }
}
