/// Why bytes are no MessagePack that is understood here.
package enum MessagePackError: Error, Hashable, Sendable {
    case unexpectedEnd
    /// More bytes than the value has.
    case trailingBytes
    case tooDeep
    /// More values than `MessagePackDecoder.maximumValues`.
    case tooMany
    /// 0xC1, which nobody writes.
    case invalidType
    case invalidUTF8
    /// The name of a map's member is no string.
    case invalidKey
    /// An extension that has no counterpart here.
    case unknownExtension(Int8)
}
