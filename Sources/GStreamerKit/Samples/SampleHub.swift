internal import Synchronization

/// A hub that delivers the samples of one stream to all attached consumers, on the streaming thread.
///
/// It needs no Swift task and no copy per buffer; the model is gstreamer-rs's `StreamProducer`.
package final class SampleHub: Sendable {
    private struct Consumer {
        let receive: @Sendable (MediaSample) -> Void
        var waitsForKeyframe: Bool
    }

    private struct State {
        var consumers: [Int: Consumer] = [:]
        var nextID = 0

        mutating func receiver(
            _ id: Int,
            of sample: MediaSample
        ) -> (@Sendable (MediaSample) -> Void)? {
            guard let consumer = consumers[id] else { return nil }
            if consumer.waitsForKeyframe {
                guard sample.isKeyframe else { return nil }
                consumers[id]?.waitsForKeyframe = false
            }
            return consumer.receive
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
            state.consumers[state.nextID] = Consumer(receive: receive, waitsForKeyframe: fromKeyframe)
            return state.nextID
        }
        return Attachment { [self] in _ = state.withLock { $0.consumers.removeValue(forKey: id) } }
    }

    /// Delivers `sample` to all consumers before it returns; to be called from one thread at a time.
    package func publish(_ sample: MediaSample) {
        // Consumers push into other pipelines, so none may be called under a lock.
        let receivers = state.withLock { state in
            state.consumers.keys.sorted().compactMap { state.receiver($0, of: sample) }
        }
        for receive in receivers { receive(sample) }
    }

    /// The attachment of a consumer; a sample in flight may still be delivered after `detach`.
    package struct Attachment: Sendable {
        package let detach: @Sendable () -> Void
    }
}
