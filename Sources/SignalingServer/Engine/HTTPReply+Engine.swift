internal import HTTPFront
internal import NIOCore
internal import NIOHTTP1

extension HTTPReply {
    /// Creates the response to a refused Engine.IO request.
    init(refusing refusal: EngineRefusal, _ head: HTTPRequestHead) {
        self.init(.badRequest, code: refusal.rawValue, message: refusal.message, to: head)
    }

    /// Creates the response to a GET of a polling client, with packets as its body.
    init(polling body: ByteBuffer) {
        self.init(.ok, headers: ["Content-Type": "text/plain; charset=UTF-8"], body: body)
    }

    /// The official server's response to a POST of packets.
    static let posted = HTTPReply(type: "text/html", body: "ok")
}
