internal import CallCore
internal import GStreamerKit

/// Assigns the interval between connectivity checks (RFC 8445 §14.2), in milliseconds.
@MediaActor
final class ICEPacing {
    static let shared = ICEPacing()

    /// The smallest interval that the standard allows for all checks of one machine.
    private nonisolated static let least = 5
    /// The interval used with a peer that proposes none; also that of libnice and of browsers.
    private nonisolated static let usual = 20

    /// The session that uses a shorter interval than usual.
    private var hasty: ObjectIdentifier?

    /// Returns our session description with the smallest interval added.
    nonisolated static func proposing(in description: String) -> String {
        var isAtSessionLevel = true
        return SessionDescriptionText.editing(description) { line in
            guard isAtSessionLevel, line.hasPrefix("m=") else { return String(line) }
            isAtSessionLevel = false
            return "a=ice-pacing:\(least)\r\n\(line)"
        }
    }

    /// Chooses the interval for a session from the peer's session description.
    ///
    /// Only one session at a time may use a shorter interval than usual, until `release`.
    func agree(with remote: SessionDescription, for session: AnyObject) -> Int {
        let id = ObjectIdentifier(session)
        guard let proposed = remote.icePacing, proposed < Self.usual, hasty == nil || hasty == id else {
            return Self.usual
        }
        hasty = id
        return max(Self.least, proposed)
    }

    /// Ends a session's use of the shorter interval, so that another session may use it.
    func release(_ session: AnyObject) {
        if hasty == ObjectIdentifier(session) { hasty = nil }
    }
}
