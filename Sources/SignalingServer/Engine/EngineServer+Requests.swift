internal import FrontParsers
internal import HTTPFront
internal import NIOCore
internal import NIOHTTP1

extension EngineServer {
    /// Handles a request's head before the body arrives, to refuse a second simultaneous POST of a session.
    func begin(_ exchange: HTTPExchange) {
        guard exchange.head.method == .POST, let request = try? engineRequest(exchange),
            let polling = try? openSession(of: request)?.transport as? PollingTransport
        else { return }
        exchange.maximumBody = configuration.maximumPayload
        polling.beginUpload(exchange)
    }

    /// Answers a complete request; the GET of a polling client may wait for packets.
    func answer(_ exchange: HTTPExchange, _ body: ByteBuffer, on handler: HTTPRequestHandler) {
        do throws(EngineRefusal) {
            try serve(engineRequest(exchange), exchange, body, on: handler)
        } catch {
            front.respond(to: exchange, HTTPReply(refusing: error, exchange.head))
        }
    }

    private func engineRequest(_ exchange: HTTPExchange) throws(EngineRefusal) -> EngineRequest {
        guard let endpoint = endpoint(at: exchange.path) else { throw .badRequest }
        return try EngineRequest(exchange.head, endpoint, query: exchange.query)
    }

    private func serve(
        _ request: EngineRequest,
        _ exchange: HTTPExchange,
        _ body: ByteBuffer,
        on handler: HTTPRequestHandler
    ) throws(EngineRefusal) {
        let session = try session(of: request)
        if session == nil {
            guard front.admit(exchange) else { return }
            if let refusal = refusalOfNewcomer(exchange, isPolling: !request.isUpgrade) {
                return exchange.respond(refusal)
            }
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
        default: front.respond(to: exchange, HTTPReply(.internalServerError))
        }
    }

    /// Returns the refusal of a new session; nil if one may be opened.
    ///
    /// The limits on connections do not suffice, because several polling sessions can share a connection.
    private func refusalOfNewcomer(_ exchange: HTTPExchange, isPolling: Bool) -> HTTPReply? {
        guard sessions.count < front.maximumConnections else {
            front.countRefusal(.tooMany)
            return HTTPReply(tryAgain: .serviceUnavailable)
        }
        guard let allowance = front.allowance(of: exchange) else { return nil }
        guard allowance.allowsSession else {
            front.countRefusal(.tooManyOfAddress)
            return HTTPReply(tryAgain: .tooManyRequests)
        }
        guard !isPolling || allowance.takeSession(at: front.eventLoop.now) else {
            front.countRefusal(.tooFastOfAddress)
            return HTTPReply(tryAgain: .tooManyRequests)
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
        let session = EngineSession(self, .polling, allowance: front.allowance(of: exchange))
        let polling = PollingTransport(session: session, engine: self)
        open(session, on: polling, request, exchange, from: front.client(of: exchange))
        polling.hold(exchange)
    }

    private func openWebSocket(
        _ request: EngineRequest,
        _ known: EngineSession?,
        _ exchange: HTTPExchange,
        on handler: HTTPRequestHandler
    ) throws(EngineRefusal) {
        if let known, known.isClosed { throw .unknownSession }
        let session = known ?? EngineSession(self, .websocket, allowance: front.allowance(of: exchange))
        // After the upgrade, the exchange no longer refers to its connection.
        let client = front.client(of: exchange)
        let transport = WebSocketTransport(
            session: session,
            engine: self,
            client: client,
            usesBase64: request.usesBase64
        )
        do {
            try handler.upgrade(to: transport.handler)
        } catch {
            throw .badRequest
        }
        transport.begin()
        if known == nil {
            open(session, on: transport, request, exchange, from: client)
        } else if session.canUpgrade {
            session.startProbe(on: transport)
            transport.handler.flushBatch()
        } else {
            transport.closeProbe()
        }
    }

    private func open(
        _ session: EngineSession,
        on transport: any EngineTransport,
        _ request: EngineRequest,
        _ exchange: HTTPExchange,
        from client: ClientAddress?
    ) {
        add(session)
        let joinTimeout: Duration? = request.endpoint == .socket ? configuration.connectTimeout : nil
        let delegate =
            configuration.makeConnection?(session, request.endpoint)
            ?? SocketConnection(exchange.head.uri, from: client, session: session, engine: self)
        session.open(on: transport, for: delegate, joinTimeout: joinTimeout)
    }
}
