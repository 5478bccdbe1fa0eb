internal import CallCore
internal import GStreamerKit

/// The interval between connectivity checks (RFC 8445 §14.2), in milliseconds.
@MediaActor
final class ICEPacing {
    static let shared = ICEPacing()

    /// The least that the standard allows, for all that one machine checks.
    private nonisolated static let least = 5
    /// The pace of libnice and of browsers, with a peer that proposes none.
    private nonisolated static let usual = 20

    /// The session that checks faster than usual.
    private var hasty: ObjectIdentifier?

    /// Adds the least interval to a description of our own.
    nonisolated static func proposing(in description: String) -> String {
        var isAtSessionLevel = true
        return SessionDescriptionText.editing(description) { line in
            guard isAtSessionLevel, line.hasPrefix("m=") else { return String(line) }
            isAtSessionLevel = false
            return "a=ice-pacing:\(least)\r\n\(line)"
        }
    }

    /// Finds the pace for a session whose peer has described itself.
    ///
    /// One session at a time may check faster than usual, until `release`.
    func agree(with remote: SessionDescription, for session: AnyObject) -> Int {
        let id = ObjectIdentifier(session)
        guard let proposed = remote.icePacing, proposed < Self.usual, hasty == nil || hasty == id else {
            return Self.usual
        }
        hasty = id
        return max(Self.least, proposed)
    }

    /// Lets another session check faster than usual.
    func release(_ session: AnyObject) {
        if hasty == ObjectIdentifier(session) { hasty = nil }
    }
}
