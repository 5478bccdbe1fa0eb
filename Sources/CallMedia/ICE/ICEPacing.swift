internal import CallCore
internal import GStreamerKit

/// Assigns to each session the interval between its connectivity checks (RFC 8445 §14.2), in milliseconds.
@MediaActor
final class ICEPacing {
    static let shared = ICEPacing()

    /// The smallest interval that RFC 8445 allows between any two checks of one host.
    private nonisolated static let minimum = 5
    /// The interval used if the peer proposes none; it is the default of libnice.
    private nonisolated static let usual = 20

    /// The sessions that are being set up, with their intervals; nil before the peer's description is known.
    private var intervals: [ObjectIdentifier: Int?] = [:]

    /// Returns our session description with an `a=ice-pacing` attribute that proposes the smallest interval.
    nonisolated static func proposing(in description: String) -> String {
        var isAtSessionLevel = true
        return SessionDescriptionText.editing(description) { line in
            guard isAtSessionLevel, line.hasPrefix("m=") else { return String(line) }
            isAtSessionLevel = false
            return "a=ice-pacing:\(minimum)\r\n\(line)"
        }
    }

    /// Reserves a share of the connectivity checks for a session until `release`.
    func expect(_ session: AnyObject) {
        let id = ObjectIdentifier(session)
        if intervals[id] == nil { intervals[id] = .some(nil) }
    }

    /// Chooses the interval for a session from the peer's session description.
    ///
    /// Sessions that are being set up at the same time share the checks, because the smallest interval
    /// applies to all of them together. If the other sessions leave too small a share, the usual interval is
    /// returned.
    func agree(with remote: SessionDescription, for session: AnyObject) -> Int {
        expect(session)
        let id = ObjectIdentifier(session)
        intervals[id] = .some(nil)
        let interval = max(Self.minimum * intervals.count, remote.icePacing ?? Self.usual)
        let others = intervals.values.reduce(0.0) { $0 + ($1.map { 1 / Double($0) } ?? 0) }
        let fits = 1 / Double(interval) + others <= 1 / Double(Self.minimum) + 1e-9
        let agreed = fits ? min(interval, Self.usual) : Self.usual
        intervals[id] = agreed
        return agreed
    }

    /// Releases a session's share once it is connected or closed.
    func release(_ session: AnyObject) { intervals[ObjectIdentifier(session)] = nil }
}
