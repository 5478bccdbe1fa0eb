internal import NIOCore
internal import NIOHTTP1

extension EngineServer {
    /// Handles a request's head before the body arrives, to refuse a second simultaneous POST of a session.
    func begin(_ exchange: HTTPExchange) {
        guard exchange.head.method == .POST, case .engine(let request) = exchange.route,
            let polling = try? openSession(of: request)?.transport as? PollingTransport
        else { return }
        exchange.maximumBody = configuration.maximumPayload
        polling.beginUpload(exchange)
    }

    /// Answers a complete request, at once or later.
    func answer(_ exchange: HTTPExchange, _ body: ByteBuffer, on handler: HTTPRequestHandler) {
        switch exchange.route {
        case .engine(let request):
            do throws(EngineRefusal) {
                try serve(request, exchange, body, on: handler)
            } catch {
                respond(to: exchange, HTTPReply(refusing: error, exchange.head))
            }
        case .forbidden(let refusal):
            countForbidden(refusal, exchange.head.headers)
            respond(to: exchange, HTTPReply(refusing: .forbidden, exchange.head, message: refusal.message))
        case .refused(let refusal): respond(to: exchange, HTTPReply(refusing: refusal, exchange.head))
        case .preflight: respond(to: exchange, HTTPReply(preflight: exchange.head))
        case .methodNotAllowed:
            respond(to: exchange, HTTPReply(.methodNotAllowed, headers: ["Allow": "GET, HEAD, OPTIONS"]))
        case .web where body.readableBytes > 0:
            respond(to: exchange, HTTPReply(.badRequest, type: "text/plain", body: "no body is expected\n"))
        case .web: if admit(exchange) { askRoutes(exchange) }
        }
    }

    private func respond(to exchange: HTTPExchange, _ reply: HTTPReply) {
        if admit(exchange) { exchange.respond(reply) }
    }

    /// Counts a request outside of any session as a message from its client's address.
    ///
    /// A request beyond the limit is answered with status 429, and the result is false.
    private func admit(_ exchange: HTTPExchange) -> Bool {
        guard let allowance = allowance(of: exchange), !allowance.takeMessage(at: eventLoop.now) else {
            return true
        }
        countFlood()
        var reply = HTTPReply(.tooManyRequests, headers: ["Retry-After": "1"])
        // The client needs a new connection, which is checked against the limits before anything is read from
        // it.
        reply.endsConnection = true
        exchange.respond(reply)
        return false
    }

    /// Passes the request to the routes, and writes their response later on the event loop.
    private func askRoutes(_ exchange: HTTPExchange) {
        let head = exchange.head
        let request = WebRequest(method: head.method, uri: head.uri, headers: head.headers)
        let loop = eventLoop
        let bound = NIOLoopBound(exchange, eventLoop: loop)
        let isTaken = webRequests.offer(request) { response in
            loop.execute { bound.value.respond(HTTPReply(response)) }
        }
        if !isTaken { exchange.respond(HTTPReply(.serviceUnavailable, headers: ["Retry-After": "1"])) }
    }

    private func serve(
        _ request: EngineRequest,
        _ exchange: HTTPExchange,
        _ body: ByteBuffer,
        on handler: HTTPRequestHandler
    ) throws(EngineRefusal) {
        let session = try session(of: request)
        if session == nil {
            guard admit(exchange) else { return }
            if let refusal = refusalOfNewcomer(exchange) { return exchange.respond(refusal) }
        }
        if request.isUpgrade { return try openWebSocket(request, session, exchange, on: handler) }
        guard let session else { return openPolling(request, exchange) }
        guard let polling = session.transport as? PollingTransport, request.transport == .polling else {
            throw .badRequest
        }
        switch exchange.head.method {
        case .GET: polling.hold(exchange)
        case .POST: polling.finishUpload(exchange, body)
        // The official server responds in the same way.
        default: respond(to: exchange, HTTPReply(.internalServerError))
        }
    }

    /// Returns the refusal of a new session; nil if one may be opened.
    ///
    /// The limits on connections do not suffice, because several polling sessions can share a connection.
    private func refusalOfNewcomer(_ exchange: HTTPExchange) -> HTTPReply? {
        guard sessions.count < maximumConnections else {
            countRefusal(.tooMany)
            return HTTPReply(.serviceUnavailable, headers: ["Retry-After": "1"])
        }
        guard allowance(of: exchange)?.allowsSession ?? true else {
            countRefusal(.tooManyOfAddress)
            return HTTPReply(.tooManyRequests, headers: ["Retry-After": "1"])
        }
        return nil
    }

    /// Finds the session of a request; nil if the request is for a new session.
    private func session(of request: EngineRequest) throws(EngineRefusal) -> EngineSession? {
        guard let id = request.sessionID else { return nil }
        sessions[id]?.checkTime()
        guard let session = sessions[id] else { throw .unknownSession }
        return session
    }

    private func openSession(of request: EngineRequest) throws(EngineRefusal) -> EngineSession? {
        guard let session = try session(of: request), !session.isClosed else { throw .unknownSession }
        return session
    }

    private func openPolling(_ request: EngineRequest, _ exchange: HTTPExchange) {
        let session = EngineSession(self, .polling, allowance: allowance(of: exchange))
        let polling = PollingTransport(session: session, engine: self)
        open(session, on: polling, request, exchange)
        polling.hold(exchange)
    }

    private func openWebSocket(
        _ request: EngineRequest,
        _ known: EngineSession?,
        _ exchange: HTTPExchange,
        on handler: HTTPRequestHandler
    ) throws(EngineRefusal) {
        if let known, known.isClosed { throw .unknownSession }
        let session = known ?? EngineSession(self, .websocket, allowance: allowance(of: exchange))
        let transport = WebSocketTransport(session: session, engine: self, usesBase64: request.usesBase64)
        do {
            try handler.upgrade(to: transport)
        } catch {
            throw .badRequest
        }
        if known == nil {
            open(session, on: transport, request, exchange)
        } else if session.canUpgrade {
            session.startProbe(on: transport)
            transport.flushBatch()
        } else {
            transport.closeProbe()
        }
    }

    private func open(
        _ session: EngineSession,
        on transport: any EngineTransport,
        _ request: EngineRequest,
        _ exchange: HTTPExchange
    ) {
        add(session)
        let joinTimeout: Duration? = request.endpoint == .socket ? configuration.connectTimeout : nil
        let delegate =
            configuration.makeConnection?(session, request.endpoint)
            ?? SocketConnection(exchange.head.uri, session: session, engine: self)
        session.open(on: transport, for: delegate, joinTimeout: joinTimeout)
    }
}
