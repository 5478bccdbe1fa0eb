package import Basics

extension ChatEvent {
    /// The frame for a client of the original protocol, byte for byte as the original server sends it; nil for events
    /// that this protocol does not have.
    package var plainText: String? {
        switch self {
        case .history(let messages, _, _):
            let items = messages.map { JSON.object($0.plainMembers) }
            return JSON.object(["type": "history", "items": .array(items)]).pythonText
        case .message(let message):
            return JSON.object(["type": "message", "item": .object(message.plainMembers)]).pythonText
        default: return nil
        }
    }
}

extension JSON {
    /// The JSON text as Python's `json.dumps` writes it: with spaces after commas and colons, and in ASCII.
    package var pythonText: String {
        var output: [UInt8] = []
        writePython(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func writePython(to output: inout [UInt8]) {
        switch self {
        case .array(let items):
            output.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { output.append(contentsOf: ", ".utf8) }
                item.writePython(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(contentsOf: ", ".utf8) }
                JSON.string(member.key).writePython(to: &output)
                output.append(contentsOf: ": ".utf8)
                member.value.writePython(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        case .string(let text): Self.writePython(text, to: &output)
        default: write(to: &output)
        }
    }

    private static func writePython(_ text: String, to output: inout [UInt8]) {
        var escaped: [UInt8] = []
        JSON.string(text).write(to: &escaped)
        // A scalar beyond the Basic Multilingual Plane becomes a surrogate pair.
        guard escaped.contains(where: { $0 >= 0x7F }) else { return output.append(contentsOf: escaped) }
        for scalar in String(decoding: escaped, as: UTF8.self).unicodeScalars {
            guard scalar.value >= 0x7F else {
                output.append(UInt8(ascii: scalar))
                continue
            }
            for unit in scalar.utf16 { JSON.writeEscape(ofUnit: unit, to: &output) }
        }
    }
}
