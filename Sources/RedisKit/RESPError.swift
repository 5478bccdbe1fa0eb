/// A violation of the Redis protocol or of a limit of `RESPParser`; the rest of the stream must not be parsed.
package enum RESPError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownType(UInt8)
    case invalidNumber
    case lineTooLong
    case tooDeep
    case tooManyItems(Int)
    case missingLineEnd
    /// A reply without a request.
    case unasked

    package var description: String {
        switch self {
        case .unknownType(let byte): "unknown type byte \(byte)"
        case .invalidNumber: "an invalid number"
        case .lineTooLong: "a line of more than \(RESPParser.maximumLine) bytes"
        case .tooDeep: "arrays nested too deeply"
        case .tooManyItems(let count): "an array of \(count) items, which is too many"
        case .missingLineEnd: "a bulk string without its line end"
        case .unasked: "a reply without a request"
        }
    }
}
