internal import Basics

extension JSON {
    /// Creates an object from `members` and from those `optional` members that are not nil.
    init(_ members: JSONObject, optional: KeyValuePairs<String, String?>) {
        var members = members
        for (name, value) in optional where value != nil { members[name] = value.map(JSON.string) }
        self = .object(members)
    }

    /// The string, or the decimal text of an integer; nil for any other value.
    var textValue: String? { stringValue ?? intValue.map { String($0) } }

    /// Returns the details in the `data` of a refusal that `message` does not contain, on one line; nil if
    /// there are none.
    func detail(beside message: String) -> String? {
        switch self {
        case .null, .binary: return nil
        case .string(let text): return text.isEmpty || message.contains(text) ? nil : text
        case .bool, .int, .number, .array: return serialized()
        case .object(let members):
            let parts = members.compactMap { name, value in
                value.detail(beside: message).map { "\(name): \($0)" }
            }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
    }

    /// The boolean in any of its forms: `true`, `"true"` in any case, 1, `"1"`, and their opposites; nil for
    /// any other value.
    var truthValue: Bool? {
        switch self {
        case .bool(let value): value
        case .int(0), .number(0): false
        case .int(1), .number(1): true
        case .string(let text):
            switch text.lowercased() {
            case "true", "1": true
            case "false", "0": false
            default: nil
            }
        case .null, .int, .number, .array, .object, .binary: nil
        }
    }
}
