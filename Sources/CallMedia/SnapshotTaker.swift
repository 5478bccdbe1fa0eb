internal import CallCore
internal import FoundationEssentials
internal import GStreamerKit
internal import Synchronization

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

    private static let decodingLimit = Duration.seconds(5)

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
            while let keyframe = await Self.nextKeyframe(of: hub), let self {
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

    private nonisolated static func nextKeyframe(of hub: SampleHub) async -> MediaSample? {
        let (keyframes, keyframe) = AsyncStream.makeStream(
            of: MediaSample.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        let attachment = hub.attach(fromKeyframe: true) {
            keyframe.yield($0)
            keyframe.finish()
        }
        defer { attachment.detach() }
        for await sample in keyframes { return sample }
        return nil
    }

    /// - Returns: false where no further one would succeed.
    private func save(_ keyframe: MediaSample) async -> Bool {
        let path = file.path(peer: peer, time: Self.stamp)
        do {
            let bytes = try await picture(of: keyframe)
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

    /// Decodes one keyframe, and encodes it in the file's format.
    private func picture(of keyframe: MediaSample) async throws -> [UInt8] {
        let text = try library.description("viewers/snapshot", ["encoder": file.format.encoder])
        let pipeline = try Pipeline(parsing: text, name: "snapshot")
        guard let source = pipeline.element(named: "source"), let output = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(
                element: "viewers/snapshot",
                message: "it lacks “source” or “output”"
            )
        }
        let picture = PictureBytes()
        _ = AppSink(output).hub.attach { sample in
            sample.withBytes { bytes in picture.take(Array(bytes)) }
        }
        defer { try? pipeline.setState(.null) }
        try pipeline.setState(.playing)
        let input = AppSource(source)
        input.push(keyframe)
        input.endOfStream()
        try await Self.end(of: pipeline.messages)
        guard let bytes = picture.bytes else {
            throw MediaFailure.pipeline(element: "snapshot", message: "the keyframe does not decode")
        }
        return bytes
    }

    private nonisolated static func end(of messages: AsyncStream<BusMessage>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await message in messages {
                    switch message {
                    case .endOfStream: return
                    case .error(let element, _, let text, _):
                        throw MediaFailure.pipeline(element: element, message: text)
                    default: break
                    }
                }
            }
            group.addTask {
                try await Task.sleep(for: decodingLimit)
                throw MediaFailure.pipeline(
                    element: "snapshot",
                    message: "decoding a keyframe takes too long"
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static var stamp: String { NameTemplate.stamp(of: .now) }
}

/// What an encoder gave, written on its streaming thread.
private final class PictureBytes: Sendable {
    private let content = Mutex<[UInt8]?>(nil)

    var bytes: [UInt8]? { content.withLock { $0 } }

    func take(_ bytes: [UInt8]) { content.withLock { $0 = $0 ?? bytes } }
}
