internal import Hummingbird
internal import NIOCore

/// A handle with which a task sends its answer to the connection of the request.
struct ServiceAnswer: Sendable {
    private let request: NIOLoopBound<RoutedRequest>

    init(_ request: RoutedRequest, on eventLoop: any EventLoop) {
        self.request = NIOLoopBound(request, eventLoop: eventLoop)
    }

    /// Sends a response, with back-pressure if its body has several parts.
    ///
    /// If the body fails, the response stays incomplete; `end()` then closes the connection, or sends status 500 if
    /// nothing has been sent.
    func send(_ response: Response, isHead: Bool) async {
        if isHead {
            let reply = HTTPReply(headOf: response)
            try? await sendHead(reply, length: response.body.contentLength)
        } else {
            try? await response.body.write(ResponseWriter(response, request))
        }
    }

    /// Records the end of the task, whether or not it has sent a complete answer.
    func end() { request.eventLoop.execute { [request] in request.value.taskDidEnd() } }

    /// Ends the request early, so that its place is free for others.
    func giveUp() { request.eventLoop.execute { [request] in request.value.giveUp() } }

    /// Ends the request like `giveUp()` after the given time, unless it has ended by then.
    func giveUp(after time: Duration) {
        request.eventLoop.execute { [request] in request.value.giveUp(after: TimeAmount(time)) }
    }

    private func sendHead(_ reply: HTTPReply, length: Int?) async throws {
        try await request.eventLoop.submit { [request] in
            request.value.respond(reply, announcing: length)
        }.get()
    }

    func upgrade(_ makeDelegate: @escaping @Sendable () -> any ServiceSocketDelegate) {
        request.eventLoop.execute { [request] in request.value.upgrade(makeDelegate) }
    }
}

/// The writer of a response's body.
///
/// A short body that is known to have only one part is sent as a whole. Other bodies are sent with back-pressure: a
/// part is requested when the client has read most of the earlier parts.
private struct ResponseWriter: ResponseBodyWriter {
    /// The maximum number of bytes that are passed to the connection in one part.
    private static let maximumPart = 65_536

    private let response: Response
    private let request: NIOLoopBound<RoutedRequest>
    /// The first part, while it waits for the end of the body; nil otherwise.
    private var first: ByteBuffer?
    private var hasStarted = false

    init(_ response: Response, _ request: NIOLoopBound<RoutedRequest>) {
        self.response = response
        self.request = request
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        guard !hasStarted else { return try await send(buffer) }
        // The first part waits for the end of the body only if it is known to be the whole body.
        let isWhole =
            response.body.contentLength
            .map { $0 <= buffer.readableBytes && $0 <= Self.maximumPart } ?? false
        guard let waiting = first else {
            first = buffer
            return isWhole ? () : try await start(buffer)
        }
        try await start(waiting)
        try await send(buffer)
    }

    private mutating func start(_ part: ByteBuffer) async throws {
        hasStarted = true
        first = nil
        let reply = HTTPReply(headOf: response)
        let length = response.body.contentLength
        try await request.eventLoop.submit { [request] in
            request.value.start(reply, length: length)
        }.get()
        try await send(part)
    }

    private func send(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let part = rest.readSlice(length: min(rest.readableBytes, Self.maximumPart)),
            part.readableBytes > 0
        {
            try await request.eventLoop.flatSubmit { [request] in request.value.send(part) }.get()
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        guard !hasStarted else {
            return try await request.eventLoop.submit { [request] in request.value.finish() }.get()
        }
        var reply = HTTPReply(headOf: response)
        reply.body = first ?? ByteBuffer()
        try await request.eventLoop.submit { [request, reply] in request.value.respond(reply) }.get()
    }
}
