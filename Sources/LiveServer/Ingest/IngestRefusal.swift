/// The reason why an encoder may not publish a stream.
package enum IngestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The URL names another app; its name is not told, because it may be a key in the wrong place.
    case otherApp
    case unknownKey
    case disabled
    /// Another encoder is publishing the stream.
    case busy

    /// The reason for the operator of the encoder.
    package var description: String {
        switch self {
        case .otherApp: "there is no such app; publish to rtmp://HOST:PORT/app with the stream key"
        case .unknownKey: "no stream has this key"
        case .disabled: "the stream is disabled"
        case .busy: "another encoder is publishing this stream"
        }
    }
}
