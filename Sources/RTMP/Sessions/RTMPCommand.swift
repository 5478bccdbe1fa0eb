internal import Basics

/// A command or its result: a name, a transaction ID, and arguments.
struct RTMPCommand: Hashable {
    var name: String
    var transaction: Double
    /// The command object and the further arguments.
    var arguments: [AMFValue]

    init(_ name: String, _ transaction: Double, _ arguments: [AMFValue]) {
        (self.name, self.transaction, self.arguments) = (name, transaction, arguments)
    }

    /// Parses a command message; nil if the packet has another type.
    ///
    /// - Throws: `RTMPViolation`.
    init?(_ packet: RTMPPacket) throws(RTMPViolation) {
        let start: Int
        switch packet.type {
        case RTMPMessageType.command: start = 0
        // Before its AMF 0 values, the message has one byte.
        case RTMPMessageType.commandAMF3: start = 1
        default: return nil
        }
        let values = try AMFDecoder.decode(packet.payload, from: start)
        guard let name = values.first?.stringValue else { throw .unexpectedCommand }
        self.init(
            String(name.protocolWord),
            values.dropFirst().first?.numberValue ?? 0,
            Array(values.dropFirst(2))
        )
    }

    var payload: [UInt8] { AMFEncoder.encode([.string(name), .number(transaction)] + arguments) }

    func packet(stream: UInt32 = 0) -> RTMPPacket {
        RTMPPacket(type: RTMPMessageType.command, stream: stream, payload: payload)
    }

    /// The description in a status, which is the last argument.
    var statusDescription: String? {
        let status = arguments.last?.objectValue
        return status?["description"]?.stringValue ?? status?["code"]?.stringValue
    }

    /// Whether the command reports an error in its status.
    var isError: Bool { arguments.last?.objectValue?["level"] == "error" }

    /// The code of a status, such as `NetStream.Publish.Start`.
    var statusCode: String? { arguments.last?.objectValue?["code"]?.stringValue }

    static func status(_ level: String, _ code: String, _ description: String) -> AMFValue {
        ["level": .string(level), "code": .string(code), "description": .string(description)]
    }
}
