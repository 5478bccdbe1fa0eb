internal import Basics
internal import GStreamerKit
internal import MediaKit

/// A pipeline that encodes media, or passes it on, for publication.
@MediaActor
struct PublishPipeline {
    /// An appsink of the pipeline.
    struct Output {
        let name: String
        /// Receives the samples, on the streaming thread.
        let add: @Sendable (MediaSample) -> Void
        /// Called after the last sample.
        var ended: @Sendable () -> Void = {}
    }

    private let pipeline: Pipeline
    private let inputs: [String: AppSource]
    private let bus: BusReader

    /// Starts a pipeline.
    ///
    /// - Parameters:
    ///   - description: The pipeline in gst-launch syntax.
    ///   - names: The names of its appsrcs.
    ///   - outputs: Its appsinks.
    ///   - limit: The resolution above which video is not decoded; nil if the samples are checked before.
    ///   - onError: Receives failures of the pipeline.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        parsing description: String,
        inputs names: [String],
        outputs: [Output],
        within limit: DecodingLimit? = nil,
        onError: @escaping @Sendable (MediaFailure) -> Void
    ) throws {
        pipeline = try Pipeline(parsing: description, name: "publisher")
        for output in outputs {
            guard let sink = pipeline.element(named: output.name) else {
                throw MediaFailure.pipeline(element: "publish", message: "it lacks “\(output.name)”")
            }
            for property in ["sync", "async"] { sink.set(property, false) }
            _ = AppSink(sink, ended: output.ended).hub.attach(output.add)
        }
        inputs = Dictionary(
            uniqueKeysWithValues: names.compactMap { [pipeline] name in
                pipeline.element(named: name).map { (name, AppSource($0)) }
            }
        )
        if let limit { pipeline.limitDecoding(to: limit, refused: onError) }
        bus = BusReader(pipeline, onError: onError)
        try pipeline.setState(.playing)
    }

    /// Passes the samples of a stream that the gate lets through to the appsrc with this name.
    func attach(
        _ hub: SampleHub,
        to name: String,
        fromKeyframe: Bool = false,
        through gate: GatedStream? = nil
    ) -> SampleHub.Attachment? {
        inputs[name].map { input in
            hub.attach(fromKeyframe: fromKeyframe) { sample in
                guard let sample = gate.map({ $0.passing(sample) }) ?? sample else { return }
                input.push(sample)
            }
        }
    }

    /// Ends all inputs; the outputs end when all that was encoded has been passed on.
    func endOfStream() { for input in inputs.values { input.endOfStream() } }

    func close() async {
        try? pipeline.setState(.null)
        await bus.close()
    }
}
