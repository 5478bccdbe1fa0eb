internal import Basics
internal import Synchronization

/// The losses of sources that replace each other; each loss has the number of the lost source.
final class SourceLosses: Sendable {
    struct Loss: Sendable {
        var number: Int
        var failure: MediaFailure
    }

    /// The losses, for a single consumer.
    let losses: AsyncStream<Loss>
    private let loss: AsyncStream<Loss>.Continuation
    private let made = Mutex(0)

    init() { (losses, loss) = AsyncStream.makeStream(of: Loss.self) }

    /// Creates the callbacks of the next source, which report its failure to `losses` and other events to
    /// `events`.
    func next(_ events: SourceEvents) -> (events: SourceEvents, number: Int) {
        let number = made.withLock { made in
            made += 1
            return made
        }
        let lost = { @Sendable [loss] in _ = loss.yield(Loss(number: number, failure: $0)) }
        return (SourceEvents(failed: lost, warn: events.warn, ended: events.ended), number)
    }
}
