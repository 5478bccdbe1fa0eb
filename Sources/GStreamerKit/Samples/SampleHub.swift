internal import Synchronization

/// A hub that delivers the samples of one stream to all attached consumers, on the streaming thread.
///
/// It needs no Swift task and no copy per buffer; the model is gstreamer-rs's `StreamProducer`.
package final class SampleHub: Sendable {
    private typealias Receive = @Sendable (MediaSample) -> Void

    private struct Consumer {
        let id: Int
        let receive: Receive
        var waitsForKeyframe: Bool
    }

    private struct State {
        /// The consumers in the order in which they were attached.
        var consumers: [Consumer] = [] { didSet { all = nil } }
        var nextID = 0
        /// The functions of all consumers, cached so that no array is created per sample; nil after a change
        /// of the consumers, and while one of them waits for a keyframe.
        private var all: [Receive]?

        mutating func receivers(of sample: MediaSample) -> [Receive] {
            if let all { return all }
            if sample.isKeyframe {
                for index in consumers.indices { consumers[index].waitsForKeyframe = false }
            }
            let ready = consumers.filter { !$0.waitsForKeyframe }.map(\.receive)
            if ready.count == consumers.count { all = ready }
            return ready
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `receive` for every sample from now on, or from the next keyframe on.
    ///
    /// Encoded video needs to start at a keyframe, so that the consumer can decode it.
    package func attach(
        fromKeyframe: Bool = false,
        _ receive: @escaping @Sendable (MediaSample) -> Void
    ) -> Attachment {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            let consumer = Consumer(id: state.nextID, receive: receive, waitsForKeyframe: fromKeyframe)
            state.consumers.append(consumer)
            return state.nextID
        }
        return Attachment { [self] in state.withLock { $0.consumers.removeAll { $0.id == id } } }
    }

    /// Delivers `sample` to all consumers before it returns; to be called from one thread at a time.
    package func publish(_ sample: MediaSample) {
        // Consumers push into other pipelines, so none may be called under a lock.
        for receive in state.withLock({ $0.receivers(of: sample) }) { receive(sample) }
    }

    /// The attachment of a consumer; a sample in flight may still be delivered after `detach`.
    package struct Attachment: Sendable {
        package let detach: @Sendable () -> Void
    }
}
