internal import Basics
internal import GStreamerKit
internal import MediaKit

/// A pipeline that encodes streams of a call, or passes one on, for publication.
@MediaActor
struct PublishedStream {
    private let pipeline: Pipeline
    private let inputs: [String: AppSource]
    private let bus: BusReader

    /// Starts the pipeline of a template, whose appsink is `output`; the names of its appsrcs are `inputs`.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        _ template: String,
        inputs names: [String],
        output name: String,
        from library: PipelineLibrary,
        add: @escaping @Sendable (MediaSample) -> Void,
        onError: @escaping @Sendable (MediaFailure) -> Void
    ) throws {
        pipeline = try Pipeline(parsing: library.description(template), name: "publisher")
        guard let sink = pipeline.element(named: name) else {
            throw MediaFailure.pipeline(element: template, message: "it lacks “\(name)”")
        }
        for property in ["sync", "async"] { sink.set(property, false) }
        _ = AppSink(sink).hub.attach(add)
        inputs = Dictionary(
            uniqueKeysWithValues: names.compactMap { [pipeline] name in
                pipeline.element(named: name).map { (name, AppSource($0)) }
            }
        )
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

    func close() async {
        try? pipeline.setState(.null)
        await bus.close()
    }
}
