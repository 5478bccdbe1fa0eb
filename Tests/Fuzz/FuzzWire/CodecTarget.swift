internal import Basics
internal import SocketIO

/// The fuzz target for the Engine.IO and Socket.IO codec.
///
/// A packet that was decoded and encoded must stay the same when it is decoded and encoded again. Texts are
/// compared instead of values, because `1e3` is written as `1000`.
package enum CodecTarget {
    package static func take(_ input: UnsafeRawBufferPointer) {
        guard let selector = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch selector % 5 {
        case 0: readPacket(bytes)
        case 1: readMessages(bytes)
        case 2: readJSON(bytes)
        case 3: readPayload(bytes)
        default: scan(bytes)
        }
    }

    private static func readPacket(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self),
            let packet = try? EnginePacket(text: text)
        else { return }
        let again = try? EnginePacket(text: packet.text)
        precondition(again?.text == packet.text, "\(packet.text) is read as another packet")
    }

    /// Decodes the text messages and attachments of one connection; NUL separates them, and SOH begins an
    /// attachment.
    private static func readMessages(_ bytes: [UInt8]) {
        var decoder = SocketDecoder()
        for message in bytes.split(separator: 0) {
            do {
                if message.first == 1 {
                    check(try decoder.decode(attachment: Array(message.dropFirst())))
                } else if let text = String(validating: message, as: UTF8.self) {
                    check(try decoder.decode(text: text))
                }
            } catch {
                return
            }
        }
    }

    private static func check(_ packet: SocketPacket?) {
        guard let packet else { return }
        let frames = SocketEncoder.encode(packet)
        var decoder = SocketDecoder()
        var again = try? decoder.decode(text: frames.text)
        for attachment in frames.attachments { again = try? decoder.decode(attachment: attachment) }
        guard let again else { preconditionFailure("\(frames.text) cannot be read again") }
        precondition(SocketEncoder.encode(again) == frames, "\(frames.text) is read as another packet")
    }

    private static func readJSON(_ bytes: [UInt8]) {
        guard let text = (try? JSON(parsing: bytes))?.serialized() else { return }
        precondition((try? JSON(parsing: text))?.serialized() == text, "\(text) is read as another value")
    }

    private static func readPayload(_ bytes: [UInt8]) {
        guard let packets = try? PollingPayload.decode(bytes, maximumLength: 65_536) else { return }
        let body = PollingPayload.encode(packets)
        let again = try? PollingPayload.decode(body.utf8, maximumLength: 1_000_000)
        precondition(again.map(PollingPayload.encode) == body, "\(body) is read as other packets")
    }

    /// Checks that the scanner, which is used for relayed texts, agrees with the decoder.
    private static func scan(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        var scanner = JSONScanner()
        let isJSON = scanner.scanDocument(bytes.span)
        precondition(isJSON == ((try? JSON(parsing: bytes)) != nil), "parser and scanner differ over \(text)")
        guard let event = EventScan(bytes.span, from: 0) else { return }
        var decoder = SocketDecoder()
        guard let packet = try? decoder.decode(text: text), packet.type == .event,
            case .array(let items) = packet.payload, case .string(let name) = items.first
        else { preconditionFailure("\(text) is an event to the scanner alone") }
        precondition(Array(name.utf8) == Array(bytes[event.name]), "two names in \(text)")
        precondition(event.asksForAck == (packet.ackID != nil), "an ack is asked for, or not, in \(text)")
        guard event.sender != .ambiguous else { return }
        let sender = packet.arguments.first?["from"]?.stringValue
        precondition(event.sender.decoded(in: bytes.span) == sender, "two senders in \(text)")
    }
}
