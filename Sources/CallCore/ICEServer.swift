/// A STUN or TURN server with its credentials (RTCIceServer of the WebRTC specification).
package struct ICEServer: Hashable, Sendable {
    package var urls: [String]
    package var username: String?
    package var credential: String?

    package init(urls: [String], username: String? = nil, credential: String? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}
