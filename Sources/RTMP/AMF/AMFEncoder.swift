/// An encoder for a sequence of AMF 0 values.
package enum AMFEncoder {
    /// The maximum length of a string with the short encoding in bytes.
    private static let shortLength = 0xFFFF

    package static func encode(_ values: [AMFValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values { append(value, to: &bytes) }
        return bytes
    }

    private static func append(_ value: AMFValue, to bytes: inout [UInt8]) {
        switch value {
        case .number(let number):
            bytes.append(AMFType.number.rawValue)
            bytes.append(number.bitPattern, width: 8)
        case .boolean(let isTrue): bytes += [AMFType.boolean.rawValue, isTrue ? 1 : 0]
        case .string(let text): append(text, to: &bytes)
        case .object(let object):
            bytes.append(AMFType.object.rawValue)
            for member in object.members {
                // A longer name does not occur; its rest is dropped, so that the value after it stays readable.
                let name = member.name.utf8.prefix(shortLength)
                bytes.append(name.count, width: 2)
                bytes += name
                append(member.value, to: &bytes)
            }
            bytes += [0, 0, AMFType.objectEnd.rawValue]
        case .null: bytes.append(AMFType.null.rawValue)
        case .undefined: bytes.append(AMFType.undefined.rawValue)
        case .array(let items):
            bytes.append(AMFType.array.rawValue)
            bytes.append(items.count, width: 4)
            for item in items { append(item, to: &bytes) }
        case .date(let milliseconds):
            bytes.append(AMFType.date.rawValue)
            bytes.append(milliseconds.bitPattern, width: 8)
            bytes += [0, 0]
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let utf8 = text.utf8
        let isShort = utf8.count <= shortLength
        bytes.append((isShort ? AMFType.string : .longString).rawValue)
        bytes.append(utf8.count, width: isShort ? 2 : 4)
        bytes += utf8
    }
}
