internal import CallCore
internal import FoundationEssentials
internal import GStreamerKit

/// Keeps pictures of the peer: decodes single keyframes and nothing else.
@MediaActor
final class SnapshotTaker {
    private let file: SnapshotFile
    private let library: PipelineLibrary
    private let tell: @Sendable (MediaNotice) -> Void
    private var round: Task<Void, Never>?
    private var hasOne = false
    /// The peer's name, for files that are named after it.
    var peer: String?

    init(_ file: SnapshotFile, library: PipelineLibrary, tell: @escaping @Sendable (MediaNotice) -> Void) {
        (self.file, self.library, self.tell) = (file, library, tell)
    }

    /// Takes pictures of `hub` from now on; `requestKeyframe` is called where one is due and none is there.
    func watch(_ hub: SampleHub, requestKeyframe: @escaping @Sendable () -> Void) {
        guard !hasOne || file.interval != nil else { return }
        let former = round
        former?.cancel()
        round = Task { [weak self] in
            await former?.value
            while let keyframe = await hub.nextKeyframe(), let self {
                guard await save(keyframe), let interval = file.interval else { return }
                guard (try? await Task.sleep(for: interval)) != nil else { return }
                requestKeyframe()
            }
        }
    }

    /// Tells where no picture came.
    func finish() async {
        round?.cancel()
        await round?.value
        file.removeIfEmpty()
        if !hasOne { tell(.recordingEmpty(path: file.path)) }
    }

    /// - Returns: false where no further one would succeed.
    private func save(_ keyframe: MediaSample) async -> Bool {
        let path = file.path(peer: peer, time: Self.stamp)
        do {
            let bytes = try await KeyframePicture(format: file.format, library: library).bytes(of: keyframe)
            try file.write(bytes, to: path)
            hasOne = true
            tell(.snapshotSaved(path: path, bytes: bytes.count))
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            let reason = (error as? MediaFailure)?.sentence ?? "\(error)"
            tell(.warning("the snapshot \(path) could not be kept: \(reason)"))
            return false
        }
    }

    private static var stamp: String { NameTemplate.stamp(of: .now) }
}
