internal import Hummingbird
internal import NIOCore

/// The way of a request's body from its connection to the task that answers the request, with back-pressure.
///
/// Confined to the event loop; only the body may be read elsewhere.
final class RequestBodyPipe: RequestBodyReceiver {
    private typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    /// An error for a body that ended early, because the client has gone or the request has been answered.
    struct Aborted: Error {}

    /// The wish of the reading task for more.
    private struct Demand: NIOAsyncSequenceProducerDelegate {
        let resume: @Sendable () -> Void

        func produceMore() { resume() }

        func didTerminate() {}
    }

    /// The body to be read; nothing is read from the client before the first part is asked for.
    let body: RequestBody
    private let source: Producer.Source
    private let count: (Int) -> Void

    /// Creates a pipe; `count` is called with the length of each part.
    init(_ exchange: HTTPExchange, on eventLoop: any EventLoop, count: @escaping (Int) -> Void) {
        let bound = NIOLoopBound(exchange, eventLoop: eventLoop)
        let resume: @Sendable () -> Void = { eventLoop.execute { bound.value.resumeBody() } }
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4),
            finishOnDeinit: true,
            delegate: Demand(resume: resume)
        )
        source = made.source
        body = RequestBody(asyncSequence: RequestedParts(parts: made.sequence, begin: resume))
        self.count = count
        exchange.receiveBody(by: self)
    }

    func receive(_ part: ByteBuffer) -> Bool {
        count(part.readableBytes)
        return source.yield(part) != .stopProducing
    }

    func bodyDidEnd() { source.finish() }

    func bodyWasAborted() { source.finish(Aborted()) }
}

/// The parts of a body, with a call when the first one is asked for.
private struct RequestedParts<Parts: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Parts.Element == ByteBuffer {
    struct Iterator: AsyncIteratorProtocol {
        var parts: Parts.AsyncIterator
        var begin: (@Sendable () -> Void)?

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            begin?()
            begin = nil
            return try await parts.next(isolation: actor)
        }
    }

    let parts: Parts
    let begin: @Sendable () -> Void

    func makeAsyncIterator() -> Iterator { Iterator(parts: parts.makeAsyncIterator(), begin: begin) }
}
