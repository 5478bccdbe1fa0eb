internal import Basics
internal import GStreamerKit
internal import Synchronization

/// Applies echo cancellation, noise suppression and gain control between microphone and encoder.
@MediaActor
final class VoiceProcessor {
    /// The processed microphone signal.
    nonisolated let hub: SampleHub

    private let pipeline: Pipeline
    private let input: AppSource
    private let heard: AppSource
    private let times = Mutex((heard: SampleClock(tolerance: tolerance), position: PlaybackPosition()))
    private let bus: BusReader

    /// The time subtracted from the timestamps of the loudspeaker's audio, in nanoseconds.
    ///
    /// webrtcdsp removes an echo whose timestamp is 5 to 35 ms later than that of the audio causing it. A
    /// monitor source or a microphone next to the loudspeaker captures the audio without delay, and the
    /// timestamps of both may deviate by 5 ms.
    private nonisolated static let margin: UInt64 = 20_000_000
    private nonisolated static let tolerance: Int64 = 5_000_000

    /// The size in bytes of one frame: a 16-bit sample for each of the loudspeaker's two channels.
    private nonisolated static let bytesPerFrame = 4

    /// The number of echo probes created by the process; webrtcdsp finds its probe by name.
    private static let probes = Atomic(0)

    /// Creates and starts the processor; `warn` receives a sentence if it fails later.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError` if an element is missing.
    init(
        _ processing: Set<VoiceProcessing>,
        library: PipelineLibrary,
        warn: @escaping @Sendable (String) -> Void
    ) throws {
        let number = Self.probes.wrappingAdd(1, ordering: .relaxed).newValue
        var values = ["probe": "echo-probe-\(number)"]
        for kind in VoiceProcessing.allCases { values[kind.rawValue] = "\(processing.contains(kind))" }
        pipeline = try Pipeline(parsing: library.description("voice/processing", values), name: "voice")
        guard let source = pipeline.element(named: "source"), let sink = pipeline.element(named: "output"),
            let heard = pipeline.element(named: "heard")
        else {
            throw MediaFailure.pipeline(
                element: "voice/processing",
                message: "the template has no “source”, “heard” or “output”"
            )
        }
        (input, self.heard, hub) = (AppSource(source), AppSource(heard), AppSink(sink).hub)
        pipeline.setNoLatency()  // timestamps of the loudspeaker's audio are the times at which it is heard
        bus = BusReader(pipeline) { warn("the microphone's audio is not processed: \($0.sentence)") }
        try pipeline.setState(.playing)
    }

    /// Processes 16-bit samples of one channel at 48 kHz with contiguous timestamps; called on the streaming
    /// thread.
    nonisolated func process(_ sample: MediaSample) { input.push(sample) }

    /// Adds 16-bit stereo audio of the loudspeaker; `time` is the time at which it is heard.
    nonisolated func hear(_ sample: MediaSample, at time: UInt64) {
        let duration = UInt64(sample.size / Self.bytesPerFrame) * 1_000_000_000 / 48_000
        let early = time - min(time, Self.margin)
        // The gap that the sink plays is known exactly. Without `skip`, it would count as a clock error and
        // be averaged over a second.
        let even = times.withLock { times in
            if let played = sample.presentationTime {
                times.heard.skip(times.position.gap(before: played, lasting: duration))
            }
            return times.heard.next(at: early, lasting: duration)
        }
        heard.push(sample.shifted(to: even, decodeTime: nil))
    }

    func close() async {
        try? pipeline.setState(.null)
        await bus.close()
    }
}
