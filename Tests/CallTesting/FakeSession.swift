internal import CallCore

/// A session of a `FakeMedia`, for one attempt of a call.
struct FakeSession: MediaSession {
    private let media: FakeMedia
    private let number: Int
    private let script: FakeMedia.Script
    private let peer: FakeNetwork.Peer
    let events: AsyncStream<MediaEvent>

    init(media: FakeMedia, number: Int, script: FakeMedia.Script) {
        self.media = media
        self.number = number
        self.script = script
        let (stream, continuation) = AsyncStream.makeStream(of: MediaEvent.self)
        events = stream
        peer = FakeNetwork.Peer(
            ufrag: "\(media.name)\(number)",
            events: continuation,
            connects: script.connects,
            failure: script.failure
        )
        media.network.open(peer)
    }

    private static let digest = Array(repeating: "00", count: 32).joined(separator: ":")

    private var sdp: String {
        """
        v=0\r
        o=- 1 1 IN IP4 0.0.0.0\r
        s=-\r
        t=0 0\r
        m=video 9 UDP/TLS/RTP/SAVPF 96\r
        a=mid:video0\r
        a=fingerprint:sha-256 \(Self.digest)\r
        a=ice-ufrag:\(peer.ufrag)\r
        a=rtpmap:96 H264/90000\r\n
        """
    }

    func createOffer() async throws -> String {
        try await media.perform(script.offers, script.delay)
        gather()
        return sdp
    }

    func createAnswer(to offer: SessionOffer) async throws -> String {
        try await media.perform(script.answers, script.delay)
        gather()
        media.network.join(peer, to: offer.id)
        return sdp
    }

    func apply(answer: SignaledDescription) async throws {
        try await media.perform(script.applies, script.delay)
        do { media.network.join(peer, to: try answer.description().iceUfrag ?? "") } catch {
            throw CallMediaFailure.badDescription("\(error)")
        }
    }

    func add(_ candidate: ICECandidate) async {
        media.network.add(candidate, to: peer)
    }

    func close() async {
        media.network.leave(peer)
        media.closed(number)
    }

    private func gather() {
        for index in 1...2 {
            peer.events.yield(
                .localCandidate(
                    ICECandidate(
                        candidate: "candidate:\(index)",
                        sdpMid: "video0",
                        sdpMLineIndex: 0,
                        usernameFragment: peer.ufrag
                    )
                )
            )
        }
        peer.events.yield(.localCandidate(ICECandidate(candidate: "")))
    }
}
