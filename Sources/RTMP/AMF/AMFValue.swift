/// A value of Action Message Format 0 (AMF 0), in which RTMP commands and metadata are encoded.
package enum AMFValue: Hashable, Sendable {
    case number(Double)
    case boolean(Bool)
    case string(String)
    /// An object or an associative array, which differ only in their encoding.
    case object(AMFObject)
    case null
    case undefined
    case array([AMFValue])
    /// A date in milliseconds since 1970.
    case date(Double)

    package var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    package var numberValue: Double? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    package var objectValue: AMFObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }
}

/// The named values of an object, in their order.
package struct AMFObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: AMFValue

        package init(name: String, value: AMFValue) { (self.name, self.value) = (name, value) }
    }

    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    package init(dictionaryLiteral elements: (String, AMFValue)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }

    /// The last value with this name; nil if there is none.
    package subscript(name: String) -> AMFValue? { members.last { $0.name == name }?.value }
}

extension AMFValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }

    package init(floatLiteral value: Double) { self = .number(value) }

    package init(integerLiteral value: Int) { self = .number(Double(value)) }

    package init(booleanLiteral value: Bool) { self = .boolean(value) }

    package init(dictionaryLiteral elements: (String, AMFValue)...) {
        self = .object(AMFObject(elements.map { AMFObject.Member(name: $0.0, value: $0.1) }))
    }
}
