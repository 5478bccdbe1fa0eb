internal import Basics
internal import GStreamerKit
package import LiveCore
package import MediaKit

/// A packager of a media file, which is played in real time and begins again after its end.
///
/// H.264 is not encoded again; its keyframes determine where segments begin.
package struct FilePackager: LivePackager {
    /// The duration of segments, if there are enough keyframes.
    private static let segment = Duration.seconds(1)

    private let path: String
    private let library: PipelineLibrary

    package init(_ path: String, library: PipelineLibrary) {
        (self.path, self.library) = (path, library)
    }

    package func run(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async throws(LiveFailure) {
        do {
            try await package(onSegment)
        } catch let failure as LiveFailure {
            throw failure
        } catch is CancellationError {
            return
        } catch {
            throw LiveFailure(.file, MediaFailure(error).sentence)
        }
    }

    @MediaActor private func package(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async throws {
        let (failures, failed) = AsyncStream.makeStream(of: LiveFailure.self)
        let opener = SourceOpener(
            request: SourceRequest(
                choice: .file(path),
                settings: SourceSettings(),
                testVideo: path,
                kinds: Set(MediaKind.allCases),
                preferredCamera: nil,
                library: library
            ),
            events: SourceEvents(failed: { failed.yield(LiveFailure(.file, $0.sentence)) }),
            notify: { _ in }
        )
        let source = try await opener.open().source
        let collector = SegmentCollector(onSegment: onSegment) { failed.yield($0) }
        var packaging: Packaging?
        var failure: (any Error)?
        do {
            packaging = try Packaging(source.tracks, every: Self.segment, from: library, into: collector) {
                failed.yield(LiveFailure(.damaged, $0.sentence))
            }
            try source.connectionIsUp()
            for await failure in failures { throw failure }
        } catch {
            failure = error
        }
        await packaging?.close()
        await source.close()
        if let failure { throw failure }
    }
}
