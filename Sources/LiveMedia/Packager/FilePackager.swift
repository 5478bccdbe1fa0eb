internal import Basics
internal import GStreamerKit
package import LiveCore
package import MediaKit

/// A packager that plays a media file in real time and in a loop.
///
/// H.264 is not re-encoded; segments begin at its keyframes.
package struct FilePackager: LivePackager {
    /// The duration of segments, if there are enough keyframes.
    private static let segment = Duration.seconds(1)
    /// The duration of the beginning of the file that is packaged faster than real time if a player is waiting.
    ///
    /// With one keyframe per second, this completes the first two segments, because a segment is complete only at the
    /// second keyframe after its first one.
    private static let headStart = segment * 3 + .milliseconds(100)

    private let path: String
    private let library: PipelineLibrary
    private let headStart: Duration

    /// Creates a packager; if `isHurried` is true, the first segments of H.264 are packaged immediately, with dates in
    /// the past.
    package init(_ path: String, library: PipelineLibrary, isHurried: Bool = false) {
        (self.path, self.library) = (path, library)
        headStart = isHurried ? Self.headStart : .zero
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
        var settings = SourceSettings()
        settings.headStart = headStart
        let opener = SourceOpener(
            request: SourceRequest(
                choice: .file(path),
                settings: settings,
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
