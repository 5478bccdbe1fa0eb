package import Basics
package import GStreamerKit

/// A reader of a pipeline's bus, which reports all errors until it is closed.
@MediaActor
package final class BusReader {
    private let reader: Task<Void, Never>

    package init(_ pipeline: Pipeline, onError: @escaping @Sendable (MediaFailure) -> Void) {
        let messages = pipeline.messages  // the task must not retain the pipeline
        reader = Task {
            for await message in messages {
                guard case .error(let element, _, let text, _) = message else { continue }
                onError(.pipeline(element: element, message: text))
            }
        }
    }

    package func close() async {
        reader.cancel()
        await reader.value
    }
}
