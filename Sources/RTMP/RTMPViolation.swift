/// A violation of the RTMP specification, or of a limit, by the peer; it ends the connection.
package enum RTMPViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte of the handshake is not the version 3.
    case unsupportedVersion(UInt8)
    /// A chunk continues a message of a chunk stream that has none.
    case continuationWithoutMessage
    /// A chunk begins a message although the previous one of its chunk stream is incomplete.
    case messageInterrupted
    case tooManyChunkStreams
    /// The incomplete messages together are longer than the limit.
    case messageTooLarge
    case invalidChunkSize(UInt32)
    /// More was sent before a stream was accepted than its commands need.
    case tooMuchBeforeStream
    /// A message is shorter than its type requires.
    case truncated
    /// A value of Action Message Format has an unknown or unsupported type.
    case unsupportedValue(UInt8)
    /// A value of Action Message Format is nested too deeply, or has too many parts.
    case valueTooComplex
    /// A command is not allowed at this point, or lacks an argument.
    case unexpectedCommand
    /// The peer refused a command.
    case refused(String)

    package var description: String {
        switch self {
        case .unsupportedVersion(let version): "the version \(version) of RTMP is not supported"
        case .continuationWithoutMessage: "a chunk continues a message that has not begun"
        case .messageInterrupted: "a message begins before the previous one has ended"
        case .tooManyChunkStreams: "too many chunk streams"
        case .messageTooLarge: "a message is too long"
        case .tooMuchBeforeStream: "too much was sent before a stream was accepted"
        case .invalidChunkSize(let size): "the chunk size \(size) is invalid"
        case .truncated: "a message is too short"
        case .unsupportedValue(let type): "a value has the unsupported type \(type)"
        case .valueTooComplex: "a value has too many parts"
        case .unexpectedCommand: "a command is not allowed here"
        case .refused(let reason): reason
        }
    }
}
