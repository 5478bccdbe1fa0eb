package import Basics
internal import FoundationEssentials

extension Timestamp {
    /// The current time of this computer's clock.
    package static var now: Timestamp {
        Timestamp(milliseconds: Int64((Date.now.timeIntervalSince1970 * 1000).rounded()))
    }
}
