/// A failure of GStreamer, classified by what the caller can do about it.
package enum GStreamerError: Error, Hashable, Sendable, CustomStringConvertible {
    case missingElement(String)
    /// A pipeline or caps string that GStreamer's parser rejects.
    case description(String)
    case stateChange(element: String, message: String)
    /// A failure of an element in the pipeline; `message` is for users, `debug` for logs.
    case pipeline(element: String, message: String, debug: String)
    /// An error in the reply to a promise.
    case rejected(String)
    case badSDP
    case timedOut(String)

    package var description: String {
        switch self {
        case .missingElement(let name): "GStreamer has no element “\(name)”"
        case .description(let message): "the pipeline is invalid: \(message)"
        case .stateChange(let element, let message): "\(element) cannot start: \(message)"
        case .pipeline(let element, let message, _): "\(element): \(message)"
        case .rejected(let message): message
        case .badSDP: "the session description cannot be parsed"
        case .timedOut(let what): "\(what) took too long"
        }
    }
}
