internal import CallCore
internal import GStreamerKit

/// Reads a pipeline's bus for the lifetime of its owner, because errors are lost if nobody reads them.
@MediaActor
final class BusReader {
    private let reader: Task<Void, Never>

    init(_ pipeline: Pipeline, onError: @escaping @Sendable (MediaFailure) -> Void) {
        let messages = pipeline.messages  // not the pipeline, which the reader must not keep alive
        reader = Task {
            for await message in messages {
                guard case .error(let element, _, let text, _) = message else { continue }
                onError(.pipeline(element: element, message: text))
            }
        }
    }

    func close() async {
        reader.cancel()
        await reader.value
    }
}
