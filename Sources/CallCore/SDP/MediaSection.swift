/// One `m=` line of a session description with its attributes.
package struct MediaSection: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case audio, video, application
        case other(String)
    }

    package enum Direction: String, Hashable, Sendable, CaseIterable {
        case sendrecv, sendonly, recvonly, inactive
    }

    /// A header extension (RFC 8285).
    package struct HeaderExtension: Hashable, Sendable {
        /// The ID, from 1 to 255.
        package var id: Int
        package var uri: String

        package init(id: Int, uri: String) {
            self.id = id
            self.uri = uri
        }
    }

    package internal(set) var kind: Kind
    package internal(set) var port: Int
    package internal(set) var mid: String?
    package internal(set) var isBundleOnly = false
    package internal(set) var direction = Direction.sendrecv
    package internal(set) var iceUfrag: String?
    /// The payload formats in the order of the `m=` line, which is the order of preference.
    package internal(set) var codecs: [PayloadFormat] = []
    package internal(set) var headerExtensions: [HeaderExtension] = []
    var fingerprints = FingerprintLines()

    /// Whether the section is rejected: it has port zero without `a=bundle-only` (RFC 8843).
    package var isRejected: Bool { port == 0 && !isBundleOnly }

    package var sends: Bool { direction == .sendrecv || direction == .sendonly }
    package var receives: Bool { direction == .sendrecv || direction == .recvonly }
}
