internal import Synchronization

/// Hands the samples of one stream to everybody who attached, on the streaming thread.
///
/// No Swift task and no copy per buffer; the model is gstreamer-rs' `StreamProducer`.
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
    /// The latter is for encoded video, so that what the consumer gets can be decoded.
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

    /// Delivers `sample` to everybody attached, before it returns; from one thread at a time.
    package func publish(_ sample: MediaSample) {
        // Consumers push into other pipelines; none of them may be called under a lock.
        let receivers = state.withLock { state in
            state.consumers.keys.sorted().compactMap { state.receiver($0, of: sample) }
        }
        for receive in receivers { receive(sample) }
    }

    /// What ends an attachment; a sample that is on its way may still be delivered afterwards.
    package struct Attachment: Sendable {
        package let detach: @Sendable () -> Void
    }
}
