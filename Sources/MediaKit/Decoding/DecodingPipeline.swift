internal import Basics
package import GStreamerKit

/// A pipeline from a template that takes encoded samples at its appsrc “source”, and passes the decoded ones to
/// its appsink “output”.
@MediaActor
package struct DecodingPipeline {
    package let pipeline: Pipeline
    package let input: AppSource
    package let output: SampleHub

    /// Creates the pipeline, which must be started.
    ///
    /// - Parameters:
    ///   - template: the name of the template in `library`.
    ///   - values: the values of its placeholders.
    ///   - library: contains the pipeline templates.
    ///   - name: the name of the pipeline.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    package init(
        _ template: String,
        _ values: [String: String] = [:],
        from library: PipelineLibrary,
        name: String
    ) throws {
        pipeline = try Pipeline(parsing: library.description(template, values), name: name)
        guard let source = pipeline.element(named: "source"), let sink = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(element: template, message: "it lacks “source” or “output”")
        }
        input = AppSource(source)
        output = AppSink(sink).hub
    }
}

/// A decoder of the received media of one kind.
@MediaActor
package protocol MediaDecoder: AnyObject {
    func close() async
}
