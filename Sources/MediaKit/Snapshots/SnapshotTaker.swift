internal import Basics
internal import FoundationEssentials
package import GStreamerKit

/// Takes snapshots of the peer's video; only the keyframes for snapshots are decoded.
@MediaActor
package final class SnapshotTaker {
    private let file: SnapshotFile
    private let library: PipelineLibrary
    private let limit: DecodingLimit
    private let notify: @Sendable (MediaNotice) -> Void
    private var round: Task<Void, Never>?
    private var hasOne = false
    /// Whether a warning was issued that the resolution of the peer's video is too high.
    private var hasWarned = false
    /// The peer's name, for file names that contain it; nil until the name is known.
    package var peer: String?

    package init(
        _ file: SnapshotFile,
        library: PipelineLibrary,
        limit: DecodingLimit,
        notify: @escaping @Sendable (MediaNotice) -> Void
    ) {
        (self.file, self.notify) = (file, notify)
        (self.library, self.limit) = (library, limit)
    }

    /// The result of saving a keyframe.
    private enum Outcome { case isKept, isTooLarge, failed }

    /// Starts to take snapshots of `hub`, the first one at the next keyframe; `requestKeyframe` is called
    /// when a later one is due but no keyframe has arrived.
    package func watch(_ hub: SampleHub, requestKeyframe: @escaping @Sendable () -> Void) {
        guard !hasOne || file.interval != nil else { return }
        let former = round
        former?.cancel()
        round = Task { [weak self] in
            await former?.value
            var schedule = self?.file.interval.map { SnapshotSchedule(interval: $0) }
            while let keyframe = await Self.keyframe(of: hub, by: schedule?.due, requestKeyframe), let self {
                schedule?.pictureTaken(at: .now)
                let outcome = await save(keyframe)
                guard outcome != .failed else { return }
                if let earliest = schedule?.earliest {
                    guard (try? await Task.sleep(until: earliest, clock: .continuous)) != nil else { return }
                } else if outcome == .isKept {
                    return
                }
            }
        }
    }

    /// Returns the next keyframe, and requests one if none has arrived by `due`, unless `due` is nil; the
    /// result is nil if the task is cancelled.
    private nonisolated static func keyframe(
        of hub: SampleHub,
        by due: ContinuousClock.Instant?,
        _ requestKeyframe: @escaping @Sendable () -> Void
    ) async -> MediaSample? {
        guard let due else { return await hub.nextKeyframe() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
                requestKeyframe()
            }
            defer { group.cancelAll() }
            return await hub.nextKeyframe()
        }
    }

    /// Stops taking snapshots, and reports if none was taken.
    package func finish() async {
        round?.cancel()
        await round?.value
        file.removeIfEmpty()
        if !hasOne { notify(.recordingEmpty(path: file.path)) }
    }

    private func save(_ keyframe: MediaSample) async -> Outcome {
        let path = file.path(peer: peer, time: Self.stamp)
        do {
            let picture = KeyframeImage(library: library, limit: limit)
            let bytes = try await picture.bytes(of: keyframe, as: file.format)
            try file.write(bytes, to: path)
            hasOne = true
            notify(.snapshotSaved(path: path, bytes: bytes.count))
            return .isKept
        } catch let refusal as KeyframeImage.Refusal {
            if !hasWarned {
                notify(.warning("the snapshot \(path) waits for video of a lower resolution: \(refusal)"))
            }
            hasWarned = true
            return .isTooLarge
        } catch {
            guard !Task.isCancelled else { return .failed }
            let reason = (error as? MediaFailure)?.sentence ?? "\(error)"
            notify(.warning("the snapshot \(path) could not be saved: \(reason)"))
            return .failed
        }
    }

    private static var stamp: String { NameTemplate.stamp(of: .now) }
}
