/// A failure of GStreamer, classified by the operation that failed.
package enum GStreamerError: Error, Hashable, Sendable, CustomStringConvertible {
    case missingElement(String)
    /// A pipeline or caps string that GStreamer's parser rejects.
    case description(String)
    case stateChange(element: String, message: String)
    /// An error in the reply to a promise.
    case rejected(String)
    case badSDP

    package var description: String {
        switch self {
        case .missingElement(let name): "GStreamer has no element “\(name)”"
        case .description(let message): "the pipeline is invalid: \(message)"
        case .stateChange(let element, let message): "\(element) cannot start: \(message)"
        case .rejected(let message): message
        case .badSDP: "the session description cannot be parsed"
        }
    }
}
