internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import SocketIO

/// Answers the requests that do not become a WebSocket, one on each connection.
///
/// A connection on which no request comes in time is closed.
final class HTTPRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Response {
        var status = HTTPResponseStatus.ok
        var headers: HTTPHeaders
        var body: ByteBuffer

        init(
            status: HTTPResponseStatus = .ok,
            type: String = "text/plain; charset=UTF-8",
            body: String = "",
            headers: HTTPHeaders = [:]
        ) {
            self.status = status
            self.headers = headers
            if status != .noContent { self.headers.replaceOrAdd(name: "Content-Type", value: type) }
            self.body = ByteBuffer(string: body)
        }

        init(_ response: WebResponse) {
            (status, headers, body) = (response.status, response.headers, response.body)
        }
    }

    private let engine: EngineServer
    private var head: HTTPRequestHead?
    private weak var channel: (any Channel)?

    init(_ engine: EngineServer) { self.engine = engine }

    func channelActive(context: ChannelHandlerContext) {
        channel = context.channel
        // Never cancelled: to look for one among tens of thousands of timers would cost too much.
        let limit = TimeAmount(engine.configuration.requestTimeout)
        context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            self?.channel?.close(promise: nil)
        }
        context.fireChannelActive()
    }

    /// The connection has become a WebSocket.
    func handlerRemoved(context: ChannelHandlerContext) { channel = nil }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            if case .web = engine.router.route(head) {
                askRoutes(head, context: context)
            } else {
                send(response(to: head), to: head, context: context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A refused WebSocket is an ordinary request, which comes here and is answered.
        if error is NIOWebSocketUpgradeError { return }
        context.close(promise: nil)
    }

    /// Has the routes answer; the answer is written when it has come back to the event loop.
    private func askRoutes(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let request = WebRequest(
            method: head.method,
            uri: head.uri,
            headers: head.headers,
            remoteAddress: context.remoteAddress?.ipAddress
        )
        let loop = context.eventLoop
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: loop)
        let isTaken = engine.webRequests.offer(request) { response in
            loop.execute {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                handler.send(Response(response), to: head, context: context)
            }
        }
        if !isTaken { send(response(to: head), to: head, context: context) }
    }

    private func response(to head: HTTPRequestHead) -> Response {
        switch engine.router.route(head) {
        case .web: return Response(status: .serviceUnavailable, body: "too many requests are waiting\n")
        case .preflight: return preflight(head)
        case .refused(let refusal): return response(to: head, refusing: refusal)
        // The route was found good, but the WebSocket's own headers were not.
        case .engine: return response(to: head, refusing: .badRequest)
        case .methodNotAllowed:
            return Response(
                status: .methodNotAllowed,
                body: "method not allowed\n",
                headers: ["Allow": "GET, HEAD"]
            )
        }
    }

    private func response(to head: HTTPRequestHead, refusing refusal: EngineRefusal) -> Response {
        if head.isWebSocketUpgrade {
            return Response(status: refusal.status, type: "text/html", body: refusal.message)
        }
        return Response(status: refusal.status, type: "application/json", body: refusal.json.serialized())
    }

    private func preflight(_ head: HTTPRequestHead) -> Response {
        var headers: HTTPHeaders = ["Access-Control-Allow-Methods": "GET,HEAD,PUT,PATCH,POST,DELETE"]
        if let requested = head.headers.first(name: "access-control-request-headers") {
            headers.add(name: "Access-Control-Allow-Headers", value: requested)
            headers.add(name: "Vary", value: "Access-Control-Request-Headers")
        }
        return Response(status: .noContent, headers: headers)
    }

    private func send(_ response: Response, to request: HTTPRequestHead, context: ChannelHandlerContext) {
        var head = HTTPResponseHead(version: .http1_1, status: response.status, headers: response.headers)
        head.headers.add(contentsOf: engine.router.origins.headers(for: request))
        if !head.headers.contains(name: "cache-control") {
            head.headers.add(name: "Cache-Control", value: "no-store")
        }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        // That of a 304 would be the length of what is left out (RFC 9110 §8.6).
        if response.status != .noContent, response.status != .notModified {
            head.headers.replaceOrAdd(name: "Content-Length", value: "\(response.body.readableBytes)")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD, response.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
