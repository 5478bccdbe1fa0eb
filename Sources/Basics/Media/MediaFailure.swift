/// The reason why a source, a device, a recording or a pipeline failed.
package enum MediaFailure: Error, Codable, Hashable, Sendable {
    /// The source is missing, unreadable or not media, or its device does not respond.
    case source(message: String, hint: String)
    /// GStreamer lacks the elements with these names.
    case missingPlugin([String])
    case recording(message: String, hint: String)
    /// A pipeline failed at the named element.
    case pipeline(element: String, message: String)

    /// The failure and its cause in one sentence without a full stop.
    package var sentence: String {
        switch self {
        case .source(let message, _), .recording(let message, _): message
        case .missingPlugin(let elements): "GStreamer lacks \(elements.joined(separator: ", "))"
        case .pipeline(let element, let message): "the media pipeline failed at \(element): \(message)"
        }
    }
}
