internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// What is done to a voice between microphone and encoder.
@MediaActor
final class VoiceStage {
    /// The voice as it is to be sent.
    nonisolated let hub: SampleHub

    private let pipeline: Pipeline
    private let input: AppSource
    private let even = Mutex(EvenTime())
    private let bus: BusReader

    /// Begins at once; `warn` hears where it breaks off.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError` where an element is missing.
    init(
        _ processing: Set<VoiceProcessing>,
        probe: Element?,
        library: PipelineLibrary,
        warn: @escaping @Sendable (String) -> Void
    ) throws {
        var values = ["probe": probe?.name ?? "none"]
        for kind in VoiceProcessing.allCases { values[kind.rawValue] = "\(processing.contains(kind))" }
        pipeline = try Pipeline(parsing: library.description("voice/processing", values), name: "voice")
        guard let source = pipeline.element(named: "source"), let sink = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(element: "voice/processing", message: "it lacks source or output")
        }
        (input, hub) = (AppSource(source), AppSink(sink).hub)
        bus = BusReader(pipeline) { warn("the microphone's sound is not processed: \($0.sentence)") }
        try pipeline.setState(.playing)
    }

    /// Takes 16-bit samples of one channel at 48 kHz, on the streaming thread.
    nonisolated func process(_ sample: MediaSample) {
        let duration = UInt64(sample.size / 2) * 1_000_000_000 / 48_000
        let time = sample.presentationTime ?? MediaClock.shared.now
        input.push(
            sample.shifted(to: even.withLock { $0.next(at: time, lasting: duration) }, decodeTime: nil)
        )
    }

    func close() async {
        try? pipeline.setState(.null)
        await bus.close()
    }
}
