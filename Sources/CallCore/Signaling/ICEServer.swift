package import Basics

/// A STUN or TURN server with its credentials (RTCIceServer of the WebRTC specification).
package struct ICEServer: Hashable, Sendable {
    package var urls: [String]
    package var username: String?
    package var credential: String?
    /// The reach of the signaling server that provided this entry; nil if the user configured it.
    package var namedFrom: HostReach?

    package init(urls: [String], username: String? = nil, credential: String? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}
