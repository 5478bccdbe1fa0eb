internal import Basics
internal import Hummingbird
internal import NIOCore

/// The fields of a request that creates a stream.
struct WantedStream {
    private static let mostValues = 100

    let latency: StreamRecord.Latency
    let reconnectWindow: Int?
    let isRecorded: Bool
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
        try Self.check(policies: fields["playback_policies"] ?? fields["playback_policy"])
        latency = try Self.latency(fields)
        isRecorded = try Self.isRecorded(fields)
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

    /// Whether the stream is to be recorded: it has settings for new assets.
    private static func isRecorded(_ fields: JSONObject) throws(LiveRefusal) -> Bool {
        guard let settings = fields["new_asset_settings"], settings != .null else { return false }
        guard let settings = settings.objectValue else {
            throw .invalid("new_asset_settings must be an object")
        }
        try check(policies: settings["playback_policies"] ?? settings["playback_policy"])
        return true
    }

    private static func check(policies: JSON?) throws(LiveRefusal) {
        guard let policies else { return }
        let names = policies.arrayValue?.map(\.stringValue) ?? [policies.stringValue]
        guard names.allSatisfy({ $0 == "public" }) else {
            throw .invalid("playback_policies: this server has only public playback IDs")
        }
    }
}
