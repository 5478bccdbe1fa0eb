internal import Basics
internal import Hummingbird
internal import NIOCore

/// The fields of a request that creates a stream.
struct WantedStream {
    private static let mostValues = 100

    let latency: StreamRecord.Latency
    let reconnectWindow: Int?
    let policy: PlaybackPolicy
    /// The policy of the recordings; nil if none are made.
    let recordingPolicy: PlaybackPolicy?
    let passthrough: String?

    /// Reads the body; an empty one creates a stream with the defaults.
    ///
    /// - Throws: `LiveRefusal` if a field is invalid or not supported; errors of the connection.
    init(_ request: Request, maximumBody: Int) async throws {
        let body = try await request.body.collect(upTo: maximumBody)
        let json: JSON?
        if body.readableBytes == 0 {
            json = [:]
        } else {
            json = try? JSON(parsing: Array(body.readableBytesView), maximumValues: Self.mostValues)
        }
        guard let fields = json?.objectValue else {
            throw LiveRefusal.invalid("the body is not a JSON object")
        }
        policy = try Self.policy(in: fields)
        latency = try Self.latency(fields)
        recordingPolicy = try Self.recordingPolicy(fields)
        reconnectWindow = try fields["reconnect_window"].map { value in
            guard let seconds = value.intValue, StreamRecord.reconnectWindows.contains(seconds) else {
                throw LiveRefusal.invalid("reconnect_window must be from 0 to 1800")
            }
            return seconds
        }
        passthrough = try fields["passthrough"].map { value in
            guard let text = value.stringValue, text.count <= StreamRecord.longestPassthrough else {
                throw LiveRefusal.invalid("passthrough must be a string of at most 255 characters")
            }
            return text
        }
    }

    private static func latency(_ fields: JSONObject) throws(LiveRefusal) -> StreamRecord.Latency {
        guard let value = fields["latency_mode"] else { return .standard }
        guard let latency = value.stringValue.flatMap(StreamRecord.Latency.init) else {
            throw .invalid("latency_mode must be low, reduced or standard")
        }
        return latency
    }

    /// Reads the settings for new assets, with which the stream is recorded.
    private static func recordingPolicy(_ fields: JSONObject) throws(LiveRefusal) -> PlaybackPolicy? {
        guard let settings = fields["new_asset_settings"], settings != .null else { return nil }
        guard let settings = settings.objectValue else {
            throw .invalid("new_asset_settings must be an object")
        }
        return try policy(in: settings)
    }

    /// Reads the policy of the playback ID; there is one ID.
    private static func policy(in fields: JSONObject) throws(LiveRefusal) -> PlaybackPolicy {
        guard let wanted = fields["playback_policies"] ?? fields["playback_policy"] else { return .everybody }
        let names = wanted.arrayValue?.map(\.stringValue) ?? [wanted.stringValue]
        let policies = names.compactMap { $0.flatMap(PlaybackPolicy.init) }
        guard policies.count == names.count else {
            throw .invalid("playback_policies: the policies are public and signed")
        }
        guard Set(policies).count <= 1 else {
            throw .invalid("playback_policies: a stream has one playback ID, which is public or signed")
        }
        return policies.first ?? .everybody
    }
}
