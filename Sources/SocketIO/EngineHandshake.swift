package import Basics

/// The payload of an Engine.IO 4 `open` packet.
package struct EngineHandshake: Hashable, Sendable {
    /// The session id: a credential that must not be logged.
    package var sid: String
    /// The transports to which the client may upgrade.
    package var upgrades: [String]
    /// The time from a pong to the next ping, in milliseconds; above 0.
    package var pingInterval: Int
    /// The time limit for the pong to a ping, in milliseconds; above 0.
    package var pingTimeout: Int
    /// The maximum size of a message in bytes; above 0.
    package var maxPayload: Int

    package init(sid: String, upgrades: [String], pingInterval: Int, pingTimeout: Int, maxPayload: Int) {
        self.sid = sid
        self.upgrades = upgrades
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.maxPayload = maxPayload
    }

    /// Parses a handshake; `maxPayload` defaults to 1,000,000, because servers before Engine.IO 6.2 omit it.
    ///
    /// - Throws: `EnginePacketError.handshake` if a field is missing or invalid.
    package init(_ json: JSON) throws(EnginePacketError) {
        // Intervals are limited to a day, so that sums and conversions of them cannot overflow.
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

    /// The JSON payload of the `open` packet.
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
