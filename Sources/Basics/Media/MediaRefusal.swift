/// The reason why a request to a running call was refused; the call itself continues.
package struct MediaRefusal: Error, Hashable, Sendable {
    /// The machine-readable reason.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The media service does not support the request.
        case unsupported
        case alreadyRecording = "already-recording"
        case notRecording = "not-recording"
        /// The path is invalid, exists already or cannot be written, or its extension is not supported.
        case badPath = "bad-path"
        /// The format of the file cannot hold the media of the call.
        case badFormat = "bad-format"
        case diskFull = "disk-full"
        /// No frame of the peer's video arrives.
        case noFrame = "no-picture"
        /// The device does not exist or does not work, or the call uses no device of this kind.
        case noDevice = "no-device"
        /// Media is being closed or has not been opened yet.
        case notReady = "not-ready"
    }

    package var reason: Reason
    /// The reason in plain words, without a full stop.
    package var message: String

    package init(_ reason: Reason, _ message: String) { (self.reason, self.message) = (reason, message) }
}
