/// The reason why an encoder may not publish a stream.
package enum IngestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    case otherApp(String)
    case unknownKey
    case disabled
    /// Another encoder is publishing the stream.
    case busy

    /// The reason for the operator of the encoder.
    package var description: String {
        switch self {
        case .otherApp(let app):
            "there is no app “\(app)”; publish to rtmp://HOST:PORT/app with the stream key"
        case .unknownKey: "no stream has this key"
        case .disabled: "the stream is disabled"
        case .busy: "another encoder is publishing this stream"
        }
    }
}
