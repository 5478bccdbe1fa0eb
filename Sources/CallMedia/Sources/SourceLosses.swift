internal import CallCore
internal import Synchronization

/// The losses of sources that follow each other, each told under the number of the source that was lost.
final class SourceLosses: Sendable {
    struct Loss: Sendable {
        var number: Int
        var failure: MediaFailure
    }

    /// Single consumer.
    let losses: AsyncStream<Loss>
    private let loss: AsyncStream<Loss>.Continuation
    private let made = Mutex(0)

    init() { (losses, loss) = AsyncStream.makeStream(of: Loss.self) }

    /// What the next source is told by: the same as `news`, but for its loss, which is told here.
    func next(_ news: SourceEvents) -> (news: SourceEvents, number: Int) {
        let number = made.withLock { made in
            made += 1
            return made
        }
        let lost = { @Sendable [loss] in _ = loss.yield(Loss(number: number, failure: $0)) }
        return (SourceEvents(failed: lost, warn: news.warn, ended: news.ended), number)
    }
}
