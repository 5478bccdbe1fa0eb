/// The server's end of a connection on which an encoder publishes a stream.
package struct IngestSession {
    package enum Event: Hashable, Sendable {
        case send([UInt8])
        /// A request to publish, which `accept()` or `refuse(_:)` must answer; until then nothing more is read.
        case publish(app: String, key: String)
        case video(timestamp: UInt32, FLVVideo)
        case audio(timestamp: UInt32, FLVAudio)
        /// The end of the stream, after which its media is ignored.
        case ended
        /// The end of the connection, as far as the encoder is concerned.
        case closed
    }

    private enum State {
        case handshake(Handshake)
        case connected(app: String?)
        case requested
        case publishing
        case ended
    }

    /// The maximum length of a command.
    private static let maximumCommand = 16_384
    /// The maximum length in bytes of the names of an app and of a stream.
    private static let longestName = 256
    /// The maximum number of bytes before the stream is accepted, including the handshake.
    private static let maximumBeginning = 131_072
    /// The maximum length of a message of an accepted stream: a keyframe.
    private static let maximumFrame = 4 << 20
    /// The ID of the only message stream.
    private static let messageStream: UInt32 = 1
    /// The number of bytes after which each side acknowledges what it has received.
    private static let window: UInt32 = 2_500_000

    private var state = State.handshake(.server())
    private var reader = ChunkReader(maximumLength: maximumCommand)
    private var writer = ChunkWriter()
    private var receivedCount: UInt64 = 0
    private var acknowledgedCount: UInt64 = 0
    private var acknowledgedEvery = UInt64(window)

    package init() {}

    /// The number of bytes that the session stores.
    package var storedBytes: Int { reader.storedBytes }

    /// Whether the handshake is complete.
    package var isConnected: Bool {
        if case .handshake = state { false } else { true }
    }

    /// Whether a stream is being published.
    package var isPublishing: Bool {
        if case .publishing = state { true } else { false }
    }

    /// Handles received bytes.
    ///
    /// - Throws: `RTMPViolation`, after which the session must not be used again.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(RTMPViolation) -> [Event] {
        receivedCount += UInt64(bytes.count)
        switch state {
        // What arrives before the answer to a request may already belong to the stream.
        case .publishing, .requested, .ended: break
        case .handshake, .connected:
            guard receivedCount <= Self.maximumBeginning else { throw .tooMuchBeforeStream }
        }
        guard case .handshake(var handshake) = state else {
            reader.append(bytes)
            return try readMessages()
        }
        // Two references to the handshake would copy its input.
        state = .ended
        var events: [Event] = []
        let output = try handshake.receive(bytes)
        if !output.isEmpty { events.append(.send(output)) }
        guard handshake.isDone else {
            state = .handshake(handshake)
            return events
        }
        state = .connected(app: nil)
        reader.append(handshake.removeExcess())
        return events + (try readMessages())
    }

    /// Accepts the stream that the encoder wants to publish, and handles what has arrived in the meantime.
    ///
    /// - Throws: `RTMPViolation`.
    package mutating func accept() throws(RTMPViolation) -> [Event] {
        guard case .requested = state else { return [] }
        state = .publishing
        reader.maximumLength = Self.maximumFrame
        var beginning: [UInt8] = [0, 0]
        beginning.append(Self.messageStream, width: 4)
        let started = RTMPCommand.status("status", "NetStream.Publish.Start", "the stream is being published")
        let output =
            control(RTMPMessageType.userControl, beginning)
            + reply("onStatus", 0, [.null, started], on: Self.messageStream)
        return [.send(output)] + (try readMessages())
    }

    /// Refuses the stream; returns the bytes to be sent before the connection is closed.
    package mutating func refuse(_ reason: String) -> [UInt8] {
        state = .ended
        let refusal = RTMPCommand.status("error", "NetStream.Publish.BadName", reason)
        return reply("onStatus", 0, [.null, refusal], on: Self.messageStream)
    }

    private mutating func readMessages() throws(RTMPViolation) -> [Event] {
        var events: [Event] = []
        while !isWaiting, let packet = try reader.next() { events += try handle(packet) }
        if receivedCount - acknowledgedCount >= acknowledgedEvery {
            acknowledgedCount = receivedCount
            var payload: [UInt8] = []
            payload.append(receivedCount, width: 4)
            events.append(.send(control(RTMPMessageType.acknowledgement, payload)))
        }
        return events
    }

    private var isWaiting: Bool {
        if case .requested = state { true } else { false }
    }

    private mutating func handle(_ packet: RTMPPacket) throws(RTMPViolation) -> [Event] {
        switch packet.type {
        case RTMPMessageType.command, RTMPMessageType.commandAMF3:
            guard packet.payload.count <= Self.maximumCommand else { throw .messageTooLarge }
            guard let command = try RTMPCommand(packet) else { return [] }
            return try handle(command)
        case RTMPMessageType.video, RTMPMessageType.audio, RTMPMessageType.aggregate:
            return try handle(media: packet)
        case RTMPMessageType.windowSize:
            var reader = ByteReader(packet.payload)
            // An encoder that demands an acknowledgement for each few bytes would get more than it sends.
            acknowledgedEvery = UInt64(max(65_536, try reader.uint32()))
            return []
        case RTMPMessageType.userControl:
            return try packet.pong.map { [.send(writer.write($0, chunkStream: 2))] } ?? []
        // Metadata is not needed: the configurations of the codecs are more reliable.
        default: return []
        }
    }

    private func handle(media packet: RTMPPacket) throws(RTMPViolation) -> [Event] {
        switch state {
        case .publishing: break
        case .ended: return []
        case .handshake, .connected, .requested: throw .unexpectedCommand
        }
        switch packet.type {
        case RTMPMessageType.video:
            // An empty message has no video.
            return packet.payload.isEmpty
                ? [] : [.video(timestamp: packet.timestamp, try FLVVideo(packet.payload))]
        case RTMPMessageType.audio: return [.audio(timestamp: packet.timestamp, try FLVAudio(packet.payload))]
        default:
            var events: [Event] = []
            for part in try FLVAggregate.packets(packet) { events += try handle(media: part) }
            return events
        }
    }

    private mutating func handle(_ command: RTMPCommand) throws(RTMPViolation) -> [Event] {
        switch (command.name, state) {
        case ("connect", .connected(app: nil)):
            let app = command.arguments.first?.objectValue?["app"]?.stringValue ?? ""
            guard app.utf8.count <= Self.longestName else { throw .unexpectedCommand }
            state = .connected(app: app.split(separator: "/").first.map(String.init) ?? "")
            return [.send(connected(command))]
        case ("createStream", .connected(.some)):
            return [
                .send(reply("_result", command.transaction, [.null, .number(Double(Self.messageStream))]))
            ]
        case ("publish", .connected(let app?)):
            guard let name = command.arguments.dropFirst().first?.stringValue,
                name.utf8.count <= Self.longestName
            else {
                throw .unexpectedCommand
            }
            state = .requested
            return [.publish(app: app, key: String(name.prefix { $0 != "?" }))]
        case ("FCUnpublish", .publishing):
            state = .ended
            return [.ended]
        case ("deleteStream", .publishing), ("closeStream", .publishing):
            state = .ended
            return [.ended, .closed]
        case ("deleteStream", .ended), ("closeStream", .ended): return [.closed]
        case ("connect", _), ("publish", _), ("play", _): throw .unexpectedCommand
        // Encoders announce a stream with further commands, and most servers do not answer them.
        default: return []
        }
    }

    private mutating func connected(_ command: RTMPCommand) -> [UInt8] {
        var window: [UInt8] = []
        window.append(Self.window, width: 4)
        let server: AMFValue = ["fmsVer": "FMS/3,0,1,123", "capabilities": 31]
        var status: AMFObject = [
            "level": "status", "code": "NetConnection.Connect.Success", "description": "connected",
        ]
        status.members.append(AMFObject.Member(name: "objectEncoding", value: 0))
        return control(RTMPMessageType.windowSize, window)
            // The limit is dynamic.
            + control(RTMPMessageType.peerBandwidth, window + [2])
            + writer.announceChunkSize()
            + reply("_result", command.transaction, [server, .object(status)])
    }

    private func control(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        writer.write(RTMPPacket(type: type, payload: payload), chunkStream: 2)
    }

    private func reply(
        _ name: String,
        _ transaction: Double,
        _ arguments: [AMFValue],
        on stream: UInt32 = 0
    ) -> [UInt8] {
        writer.write(RTMPCommand(name, transaction, arguments).packet(stream: stream), chunkStream: 3)
    }
}
