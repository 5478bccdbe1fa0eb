/// What an Engine.IO 4 server tells a client in its `open` packet.
package struct EngineHandshake: Hashable, Sendable {
    /// The session's id: a credential, not to be logged.
    package var sid: String
    /// The transports that the client may change to.
    package var upgrades: [String]
    /// Milliseconds from a pong to the next ping; above 0.
    package var pingInterval: Int
    /// Milliseconds within which a pong is due; above 0.
    package var pingTimeout: Int
    /// Bytes that one message may have; above 0.
    package var maxPayload: Int

    package init(sid: String, upgrades: [String], pingInterval: Int, pingTimeout: Int, maxPayload: Int) {
        self.sid = sid
        self.upgrades = upgrades
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.maxPayload = maxPayload
    }

    /// Reads a handshake's JSON; servers before Engine.IO 6.2 leave `maxPayload` out, 1,000,000 is meant.
    ///
    /// - Throws: `EnginePacketError.handshake` where a field is missing or has no sense.
    package init(_ json: JSON) throws(EnginePacketError) {
        // A day bounds the intervals, so that sums and conversions of them cannot overflow.
        let milliseconds = 1...86_400_000
        let upgrades = json["upgrades"]?.arrayValue?.compactMap(\.stringValue)
        guard let sid = json["sid"]?.stringValue, (1...256).contains(sid.utf8.count) else {
            throw .handshake(field: "sid")
        }
        guard let upgrades else { throw .handshake(field: "upgrades") }
        guard let interval = json["pingInterval"]?.intValue, milliseconds.contains(interval) else {
            throw .handshake(field: "pingInterval")
        }
        guard let timeout = json["pingTimeout"]?.intValue, milliseconds.contains(timeout) else {
            throw .handshake(field: "pingTimeout")
        }
        guard let maxPayload = (json["maxPayload"] ?? 1_000_000).intValue, maxPayload > 0 else {
            throw .handshake(field: "maxPayload")
        }
        self.init(
            sid: sid,
            upgrades: upgrades,
            pingInterval: interval,
            pingTimeout: timeout,
            maxPayload: maxPayload
        )
    }

    /// The handshake as the `open` packet carries it.
    package var json: JSON {
        [
            "sid": .string(sid),
            "upgrades": .array(upgrades.map(JSON.string)),
            "pingInterval": .int(pingInterval),
            "pingTimeout": .int(pingTimeout),
            "maxPayload": .int(maxPayload),
        ]
    }
}
