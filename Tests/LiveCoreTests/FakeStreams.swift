import LiveCore
import Synchronization

/// A service whose streams do what a test tells them.
final class FakeStreams: LiveStreamService {
    /// A call of the service or of one of its streams.
    enum Call: Hashable, Sendable {
        case open(LiveAddress, LiveOptions)
        case apply(LiveOptions)
        case seek(LiveSeek)
        case close
    }

    let calls: AsyncStream<Call>
    private let call: AsyncStream<Call>.Continuation
    private let state = Mutex(State())

    private struct State {
        var refusals: [LiveFailure] = []
        var events: AsyncStream<LiveStreamEvent>.Continuation?
    }

    init() {
        (calls, call) = AsyncStream.makeStream()
    }

    /// Refuses the next streams with these failures.
    func refuse(_ failures: LiveFailure...) { state.withLock { $0.refusals += failures } }

    /// Sends an event of the newest stream.
    func send(_ event: LiveStreamEvent) { state.withLock { _ = $0.events?.yield(event) } }

    func open(_ address: LiveAddress, _ options: LiveOptions) async throws -> any LiveStream {
        call.yield(.open(address, options))
        let (events, continuation) = AsyncStream.makeStream(of: LiveStreamEvent.self)
        let refusal = state.withLock { state -> LiveFailure? in
            guard state.refusals.isEmpty else { return state.refusals.removeFirst() }
            state.events = continuation
            return nil
        }
        if let refusal { throw refusal }
        return FakeStream(events: events, call: call)
    }
}

private struct FakeStream: LiveStream {
    let events: AsyncStream<LiveStreamEvent>
    let call: AsyncStream<FakeStreams.Call>.Continuation

    func apply(_ options: LiveOptions) { call.yield(.apply(options)) }
    func seek(to target: LiveSeek) { call.yield(.seek(target)) }
    func close() { call.yield(.close) }
}
