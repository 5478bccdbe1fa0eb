internal import Basics
internal import SocketIO

/// The garbling of an event's content; the result is a valid packet with the same event name.
enum Garbling {
    /// Creates a copy of the packet with one fault in its first argument, and a description of the fault.
    static func garbled(_ packet: SocketPacket, _ random: inout FaultRandom) -> (SocketPacket, String) {
        var arguments = packet.arguments
        let detail: String
        if arguments.isEmpty {
            arguments = [arbitraryValue(&random)]
            detail = "argument added"
        } else {
            (arguments[0], detail) = garbled(arguments[0], &random)
        }
        return (.event(packet.eventName ?? "", arguments, ackID: packet.ackID), detail)
    }

    private static func garbled(_ argument: JSON, _ random: inout FaultRandom) -> (JSON, String) {
        guard case .object(var members) = argument, !members.isEmpty, !random.falls(0.2) else {
            return (arbitraryValue(&random), "argument replaced")
        }
        let (key, value) = members[random.number(below: members.count)]
        let isRemoved = random.falls(0.2)
        if isRemoved {
            members[key] = nil
        } else {
            members[key] = corrupted(value, &random)
        }
        return (.object(members), "\(key.prefix(40)) \(isRemoved ? "removed" : "corrupted")")
    }

    private static func corrupted(_ value: JSON, _ random: inout FaultRandom) -> JSON {
        guard case .string(let text) = value, !text.isEmpty, !random.falls(0.2) else {
            return arbitraryValue(&random)
        }
        switch text {
        case "offer": return "answer"
        case "answer": return "offer"
        default: break
        }
        var bytes = Array(text.utf8)
        if random.falls(0.5) {
            bytes.removeLast(1 + random.number(below: bytes.count))
        } else {
            for _ in 0..<8 {
                bytes[random.number(below: bytes.count)] = UInt8(random.number(in: 0x20...0x7E))
            }
        }
        return .string(String(decoding: bytes, as: UTF8.self))
    }

    private static func arbitraryValue(_ random: inout FaultRandom) -> JSON {
        let values: [JSON] = [
            .null, true, -1, 1e300, "", "\u{0}\u{FFFD}nonsense", [], [[[["deep"]]]], [:],
            ["nonsense": [1, 2]],
        ]
        return values[random.number(below: values.count)]
    }
}
