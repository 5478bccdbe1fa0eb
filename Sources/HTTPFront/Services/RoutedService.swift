internal import FrontParsers
internal import Hummingbird
package import NIOCore
internal import NIOHTTP1

/// An adapter that admits the requests and WebSockets of a `WebService`, and passes them to tasks.
///
/// Confined to the event loop.
package final class RoutedService: FrontService {
    let service: any WebService
    let limits: ServiceLimits
    let eventLoop: any EventLoop
    unowned let front: FrontServer
    /// The counts since the start.
    package internal(set) var counts: ServiceCounts
    private let requestLimits: AddressLimits
    private let socketLimits: AddressLimits
    private var sockets: [ObjectIdentifier: ServiceSocket] = [:]
    /// The table of the running requests, which limits them by the addresses of their clients.
    typealias Places = PlaceTable<ClientAddress?>

    private var places: Places
    private var requests: [Places.ID: RoutedRequest] = [:]
    /// The future that completes when the service's `drain()` has ended; nil before the drain begins.
    private var serviceDrain: EventLoopFuture<Void>?
    private var drained: [EventLoopPromise<Void>] = []

    /// Creates the adapter of a service, which must be added to `front`.
    package init(_ service: any WebService, front: FrontServer) {
        self.service = service
        self.front = front
        limits = service.limits
        places = PlaceTable(most: limits.requestsAtOnce)
        counts = ServiceCounts(service.name)
        eventLoop = front.eventLoop
        var rates = AddressRates()
        rates.limitsLoopback = front.limitsLoopback
        rates.connectionsPerMinute = limits.requestsPerMinute
        requestLimits = AddressLimits(
            rates,
            openConnections: limits.requestsAtOncePerAddress,
            inAll: limits.requestsAtOnce
        )
        rates.connectionsPerMinute = nil
        rates.messagesPerSecond = limits.messagesPerSecond
        rates.bytesPerSecond = limits.bytesPerSecond
        socketLimits = AddressLimits(
            rates,
            openConnections: limits.socketsPerAddress,
            inAll: limits.sockets
        )
    }

    /// The time limit for the service's `drain()`.
    private static let drainLimit = TimeAmount.seconds(5)

    package var sessionCount: Int { sockets.count }

    package var hasDocuments: Bool { service.hasDocuments }

    package func owns(_ path: String) -> Bool { service.owns(path) }

    /// Starts a task for a request with a body, so that the task can read the body as it arrives; short bodies are
    /// collected first.
    package func begin(_ exchange: HTTPExchange) {
        let headers = exchange.head.headers
        let isChunked = headers.contains(name: "transfer-encoding")
        let length = headers.first(name: "content-length").map { Int($0) ?? .max } ?? 0
        guard isChunked || length > 0, !service.isReadOnly, !exchange.head.isWebSocketUpgrade else { return }
        guard isChunked || length > limits.collectedBody else {
            exchange.maximumBody = limits.collectedBody
            exchange.bodyTimeout = TimeAmount(limits.collectedBodyTimeout)
            return
        }
        guard let request = admit(exchange) else { return }
        let pipe = RequestBodyPipe(exchange, on: eventLoop) { [weak self, weak request] count in
            if let request { self?.countReceived(count, of: request) }
        }
        request.pipe = pipe
        start(request, body: pipe.body)
    }

    private func countReceived(_ count: Int, of request: RoutedRequest) {
        counts.receivedBytes += count
        places.note(count, of: request.place)
    }

    func countSent(_ count: Int, of request: RoutedRequest) {
        counts.sentBytes += count
        places.note(count, of: request.place)
    }

    /// Starts a task for a request whose body is complete.
    package func answer(_ exchange: HTTPExchange, _ body: ByteBuffer, on handler: HTTPRequestHandler) {
        if service.isReadOnly, let refusal = Self.refusal(of: exchange.head, body) {
            return front.respond(to: exchange, refusal)
        }
        guard exchange.isPending, let request = admit(exchange) else { return }
        counts.receivedBytes += body.readableBytes
        start(request, body: RequestBody(buffer: body))
    }

    private static func refusal(of head: HTTPRequestHead, _ body: ByteBuffer) -> HTTPReply? {
        guard head.method == .GET || head.method == .HEAD else {
            return HTTPReply(.methodNotAllowed, headers: ["Allow": "GET, HEAD, OPTIONS"])
        }
        guard body.readableBytes > 0 else { return nil }
        return HTTPReply(.badRequest, type: "text/plain", body: "no body is expected\n")
    }

    /// Admits a request and counts it as running; nil if it has been refused.
    private func admit(_ exchange: HTTPExchange) -> RoutedRequest? {
        if limits.requestsPerMinute == nil, !front.admit(exchange) { return nil }
        guard !counts.isDraining else { return refuse(exchange, .draining) }
        let client = front.client(of: exchange)
        let allowance = requestLimits.allowance(for: client, at: eventLoop.now)
        if let refusal = allowance?.open(at: eventLoop.now) { return refuse(exchange, refusal) }
        let taken = places.take(for: client, at: eventLoop.now) {
            requests[$0]?.waitsForClient ?? false
        }
        guard let taken else {
            allowance?.close()
            return refuse(exchange, .tooMany)
        }
        counts.running += 1
        let request = RoutedRequest(exchange, taken.id, of: self, allowance)
        requests[taken.id] = request
        if let freed = taken.freed { requests[freed]?.giveUp() }
        return request
    }

    private func refuse(_ exchange: HTTPExchange, _ refusal: ConnectionRefusal) -> RoutedRequest? {
        counts.refused[refusal] += 1
        let isOfAddress = refusal == .tooFastOfAddress || refusal == .tooManyOfAddress
        let status: HTTPResponseStatus = isOfAddress ? .tooManyRequests : .serviceUnavailable
        var reply = HTTPReply(tryAgain: status)
        // A new connection is counted against the limits of the address.
        reply.endsConnection = isOfAddress
        exchange.respond(reply)
        return nil
    }

    private func start(_ request: RoutedRequest, body: RequestBody) {
        let head = request.exchange.head
        let asked = Request(request.exchange, body: body)
        let answer = ServiceAnswer(request, on: eventLoop)
        let context = WebContext(
            source: WebContext.Source(
                logger: front.logger,
                client: front.clientText(of: request.exchange),
                isHead: head.method == .HEAD,
                isSecure: front.isSecure,
                giveUp: { answer.giveUp() },
                limit: { answer.giveUp(after: $0) }
            )
        )
        let service = service
        let isUpgrade = head.isWebSocketUpgrade && !service.isReadOnly
        let task = front.tasks.start {
            if isUpgrade {
                switch await service.openSocket(asked, context) {
                case .refuse(let response): await answer.send(response, isHead: false)
                case .accept(let makeDelegate): answer.upgrade(makeDelegate)
                }
            } else {
                await answer.send(service.respond(to: asked, context), isHead: context.isHead)
            }
            answer.end()
        }
        request.begin(task, within: isUpgrade ? TimeAmount(limits.decisionTimeout) : nil)
    }

    func requestDidEnd(_ request: RoutedRequest, _ result: RequestResult) {
        places.free(request.place)
        guard requests.removeValue(forKey: request.place) != nil else { return }
        counts.running -= 1
        counts.requests[result] += 1
        checkDrained()
    }
}

extension RoutedService {
    /// Counts a new WebSocket against the limits of its client's address; nil if there are too many, or while draining.
    func seatOfSocket(for exchange: HTTPExchange) -> SocketSeat? {
        let refusal: ConnectionRefusal
        if counts.isDraining {
            refusal = .draining
        } else if sockets.count >= limits.sockets {
            refusal = .tooMany
        } else {
            let client = front.client(of: exchange)
            let allowance = socketLimits.allowance(for: client, at: eventLoop.now)
            guard let limited = allowance?.open(at: eventLoop.now) else {
                return SocketSeat(client: client, allowance: allowance)
            }
            refusal = limited
        }
        counts.refused[refusal] += 1
        return nil
    }

    func socketDidOpen(_ socket: ServiceSocket) {
        sockets[ObjectIdentifier(socket)] = socket
        counts.sockets += 1
        counts.socketsOpened += 1
    }

    func socketDidClose(_ socket: ServiceSocket) {
        guard sockets.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
        counts.sockets -= 1
        checkDrained()
    }
}

extension RoutedService {
    /// Refuses new requests and WebSockets, closes the open WebSockets, and lets running requests end.
    ///
    /// The future is complete when all have ended and the service has drained, or after `limit`.
    package func drain(within limit: TimeAmount) -> EventLoopFuture<Void> {
        let stopped = prepareShutDown()
        closeSessions()
        let idle = eventLoop.makePromise(of: Void.self)
        drained.append(idle)
        checkDrained()
        let all = eventLoop.makePromise(of: Void.self)
        EventLoopFuture.andAllComplete([stopped, idle.futureResult], on: eventLoop).cascade(to: all)
        let timer = eventLoop.assumeIsolated().scheduleTask(in: limit) { all.succeed() }
        all.futureResult.whenComplete { _ in timer.cancel() }
        return all.futureResult
    }

    package func prepareShutDown() -> EventLoopFuture<Void> {
        counts.isDraining = true
        if let serviceDrain { return serviceDrain }
        let promise = eventLoop.makePromise(of: Void.self)
        let service = service
        let task = front.tasks.start {
            await service.drain()
            promise.succeed()
        }
        let limit = eventLoop.assumeIsolated().scheduleTask(in: task == nil ? .zero : Self.drainLimit) {
            task?.cancel()
            promise.succeed()
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in limit.cancel() }
        serviceDrain = promise.futureResult
        return promise.futureResult
    }

    package func closeSessions() {
        for socket in Array(sockets.values) { socket.close(1001) }
    }

    package func removeSessions() {
        // The tasks of the requests may still be running, or may never have started.
        requests = [:]
        endDrains()
    }

    private func checkDrained() {
        if counts.running == 0, sockets.isEmpty { endDrains() }
    }

    private func endDrains() {
        for promise in drained { promise.succeed() }
        drained = []
    }
}
