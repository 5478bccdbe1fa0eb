internal import Basics

/// A decoder for a sequence of AMF 0 values.
package struct AMFDecoder {
    /// The maximum nesting depth; commands and metadata have two levels.
    package static let maximumDepth = 8
    /// The maximum number of values in a message; each may take one byte of input but far more memory.
    package static let maximumValues = 1000

    private var reader: ByteReader
    private var values = 0

    private init(_ reader: ByteReader) { self.reader = reader }

    /// Decodes all values of a message, of which the first one is at `start`.
    ///
    /// - Throws: `RTMPViolation`.
    package static func decode(_ bytes: [UInt8], from start: Int = 0) throws(RTMPViolation) -> [AMFValue] {
        var decoder = AMFDecoder(ByteReader(bytes, from: min(start, bytes.count)))
        var found: [AMFValue] = []
        while !decoder.reader.isAtEnd { found.append(try decoder.value(depth: 0)) }
        return found
    }

    private mutating func value(depth: Int) throws(RTMPViolation) -> AMFValue {
        guard depth < Self.maximumDepth else { throw .valueTooComplex }
        try countValue()
        let marker = try reader.byte()
        guard let type = AMFType(rawValue: marker) else { throw .unsupportedValue(marker) }
        switch type {
        case .number: return .number(try double())
        case .boolean: return .boolean(try reader.byte() != 0)
        case .string: return .string(try text(try reader.uint16()))
        case .longString, .xml: return .string(try text(Int(try reader.uint32())))
        case .object: return .object(try members(depth: depth))
        case .associativeArray:
            // Its number of members is only approximate; the end marker counts.
            _ = try reader.uint32()
            return .object(try members(depth: depth))
        case .typedObject:
            _ = try text(try reader.uint16())
            return .object(try members(depth: depth))
        case .array:
            var items: [AMFValue] = []
            for _ in 0..<(try reader.uint32()) { items.append(try value(depth: depth + 1)) }
            return .array(items)
        case .date:
            let milliseconds = try double()
            // The time zone is reserved.
            _ = try reader.uint16()
            return .date(milliseconds)
        case .null: return .null
        case .undefined, .unsupported: return .undefined
        case .reference, .objectEnd: throw .unsupportedValue(marker)
        }
    }

    private mutating func members(depth: Int) throws(RTMPViolation) -> AMFObject {
        var object = AMFObject()
        while true {
            let length = try reader.uint16()
            let name = try text(length)
            if length == 0, try isObjectEnd() { return object }
            object.members.append(AMFObject.Member(name: name, value: try value(depth: depth + 1)))
        }
    }

    /// Reads the marker after an empty name if it ends an object.
    private mutating func isObjectEnd() throws(RTMPViolation) -> Bool {
        var ahead = reader
        guard try ahead.byte() == AMFType.objectEnd.rawValue else { return false }
        reader = ahead
        return true
    }

    private mutating func countValue() throws(RTMPViolation) {
        values += 1
        guard values <= Self.maximumValues else { throw .valueTooComplex }
    }

    private mutating func double() throws(RTMPViolation) -> Double {
        Double(bitPattern: try reader.integer(8))
    }

    /// Reads text, in which invalid UTF-8 is repaired, because older encoders write metadata in other encodings.
    ///
    /// Comparing it takes a time in proportion to its length.
    private mutating func text(_ length: Int) throws(RTMPViolation) -> String {
        String(decoding: try reader.slice(length), as: UTF8.self).streamSafe
    }
}
