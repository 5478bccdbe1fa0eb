/// The reason why bytes cannot be decoded as MessagePack.
package enum MessagePackError: Error, Hashable, Sendable {
    case unexpectedEnd
    /// Bytes follow the value.
    case trailingBytes
    case tooDeep
    /// The number of values exceeds `MessagePackDecoder.maximumValues`.
    case tooMany
    /// The type 0xC1, which the specification leaves unused.
    case invalidType
    case invalidUTF8
    /// A key of a map is not a string.
    case invalidKey
    /// An unsupported extension type.
    case unknownExtension(Int8)
}
