/// The encoder's end of a connection, on which it publishes a stream.
package struct PublishSession {
    package enum Event: Hashable, Sendable {
        case send([UInt8])
        /// The server has accepted the stream.
        case started
    }

    private enum State: Equatable {
        case handshake
        case connecting
        case creating
        case requested(stream: UInt32)
        case publishing(stream: UInt32)
    }

    private enum Transaction {
        static let connect = 1.0
        static let create = 2.0
        static let publish = 3.0
        static let all = [connect, create, publish]
    }

    /// The maximum length of a message of the server.
    private static let maximumLength = 65_536

    private let app: String
    private let key: String
    private let url: String
    private var state = State.handshake
    private var handshake = Handshake.client()
    private var reader = ChunkReader(maximumLength: maximumLength)
    private var writer = ChunkWriter()

    /// Creates a session; `url` ends with the name of the app, and does not contain the stream key.
    package init(url: String, app: String, key: String) { (self.url, self.app, self.key) = (url, app, key) }

    /// The bytes with which the connection begins.
    package var opening: [UInt8] { handshake.opening }

    /// Handles received bytes.
    ///
    /// - Throws: `RTMPViolation`; `refused` if the server does not accept the stream.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(RTMPViolation) -> [Event] {
        var events: [Event] = []
        if state == .handshake {
            let output = try handshake.receive(bytes)
            if !output.isEmpty { events.append(.send(output)) }
            guard handshake.isDone else { return events }
            state = .connecting
            reader.append(handshake.removeExcess())
            events.append(.send(connect()))
        } else {
            reader.append(bytes)
        }
        while let packet = try reader.next() {
            if let command = try RTMPCommand(packet) { events += try handle(command) }
            // Servers disconnect encoders that do not answer.
            if let pong = try packet.pong { events.append(.send(writer.write(pong, chunkStream: 2))) }
        }
        return events
    }

    private mutating func connect() -> [UInt8] {
        let object: AMFValue = [
            "app": .string(app), "type": "nonprivate", "flashVer": "FMLE/3.0 (callrunner)",
            "tcUrl": .string(url),
        ]
        return writer.announceChunkSize() + send(RTMPCommand("connect", Transaction.connect, [object]))
    }

    private mutating func handle(_ command: RTMPCommand) throws(RTMPViolation) -> [Event] {
        switch (command.name, state) {
        case ("_result", .connecting) where command.transaction == Transaction.connect:
            state = .creating
            let announcement = RTMPCommand("FCPublish", 0, [.null, .string(key)])
            return [
                .send(send(announcement) + send(RTMPCommand("createStream", Transaction.create, [.null])))
            ]
        case ("_result", .creating) where command.transaction == Transaction.create:
            guard let number = command.arguments.last?.numberValue, let stream = UInt32(exactly: number)
            else {
                throw .unexpectedCommand
            }
            state = .requested(stream: stream)
            let request = RTMPCommand("publish", Transaction.publish, [.null, .string(key), "live"])
            return [.send(send(request, on: stream))]
        case ("onStatus", .requested(let stream)) where command.statusCode == "NetStream.Publish.Start":
            state = .publishing(stream: stream)
            return [.started]
        // Errors of other commands, such as FCPublish, do not matter.
        case ("_error", _) where Transaction.all.contains(command.transaction),
            ("onStatus", _) where command.isError:
            throw .refused(command.statusDescription ?? "the server refused the stream")
        default: return []
        }
    }

    /// Returns the bytes of metadata, which servers show to their users.
    package func metadata(_ metadata: AMFObject) -> [UInt8] {
        let values: [AMFValue] = ["@setDataFrame", "onMetaData", .object(metadata)]
        return media(RTMPMessageType.data, AMFEncoder.encode(values), 0)
    }

    /// Returns the bytes of a video message.
    package func video(_ video: FLVVideo, at timestamp: UInt32) -> [UInt8] {
        media(RTMPMessageType.video, video.payload, timestamp)
    }

    /// Returns the bytes of an audio message.
    package func audio(_ audio: FLVAudio, at timestamp: UInt32) -> [UInt8] {
        media(RTMPMessageType.audio, audio.payload, timestamp)
    }

    /// Returns the bytes that end the stream.
    package func end() -> [UInt8] {
        guard case .publishing(let stream) = state else { return [] }
        return send(RTMPCommand("FCUnpublish", 0, [.null, .string(key)]))
            + send(RTMPCommand("deleteStream", 0, [.null, .number(Double(stream))]))
    }

    private func media(_ type: UInt8, _ payload: [UInt8], _ timestamp: UInt32) -> [UInt8] {
        guard case .publishing(let stream) = state, !payload.isEmpty else { return [] }
        return writer.write(
            RTMPPacket(type: type, timestamp: timestamp, stream: stream, payload: payload),
            chunkStream: type == RTMPMessageType.video ? 6 : 4
        )
    }

    private func send(_ command: RTMPCommand, on stream: UInt32 = 0) -> [UInt8] {
        writer.write(command.packet(stream: stream), chunkStream: 3)
    }
}
