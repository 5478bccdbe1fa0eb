/// Why something that is wanted of a running call is not done; the call goes on.
package struct MediaRefusal: Error, Hashable, Sendable {
    /// For scripts.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// This media service cannot do it at all.
        case unsupported
        case alreadyRecording = "already-recording"
        case notRecording = "not-recording"
        /// The file cannot be written, exists, or has a name that says nothing.
        case badPath = "bad-path"
        /// The file cannot hold what the call carries.
        case badFormat = "bad-format"
        case diskFull = "disk-full"
        /// No picture of the peer comes.
        case noPicture = "no-picture"
        /// There is no such device, it does not work, or the call has none of its kind.
        case noDevice = "no-device"
        /// Media is being closed, or not open yet.
        case notReady = "not-ready"
    }

    package var reason: Reason
    /// In plain words; no full stop at the end.
    package var message: String

    package init(_ reason: Reason, _ message: String) { (self.reason, self.message) = (reason, message) }
}
