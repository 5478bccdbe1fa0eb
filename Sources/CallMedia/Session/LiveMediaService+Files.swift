package import Basics
internal import CallCore
internal import FoundationEssentials
internal import GStreamerKit
internal import MediaKit

// Recordings and snapshots taken by the user during a call, and the peer's name for their files.

extension MediaTotals {
    /// Adds the counts of a closed session.
    @MediaActor mutating func add(_ session: LiveMediaSession) {
        add(session.counters.snapshot, lost: session.lost)
        guard let span = session.connectedSpan else { return }
        add(expected: Set(session.receiving.keys), for: span)
    }
}

extension LiveMediaService {
    @MediaActor package func announcePeer(_ peer: String?) async { name(peer) }

    /// Ends the recording that the user started during the call, without waiting until its file is complete.
    @MediaActor package func callEnded() async {
        recordings?.endManuallySoon()
        totals.callEnded()
    }

    func name(_ peer: String?) {
        self.peer = peer ?? self.peer
        recordings?.setPeer(peer)
        snapshots?.peer = self.peer
    }

    func draw(_ pipeline: Pipeline, at moment: String) {
        if configuration.drawsGraphs { noticeContinuation.yield(.graph(moment: moment, dot: pipeline.graph)) }
    }

    /// Removes the files of all recordings and reports them as empty, because no media was opened.
    func reportEmptyRecordings() {
        for (_, file) in configuration.recordings {
            file.removeIfEmpty()
            noticeContinuation.yield(.recordingEmpty(path: file.path))
        }
    }

    /// Makes received video available for snapshots and starts the configured snapshots, if any.
    func watchVideo(of hub: SampleHub, requestKeyframe: @escaping @Sendable () -> Void) {
        remoteVideo = RemoteVideo(hub: hub, requestKeyframe: requestKeyframe)
        snapshots?.watch(hub, requestKeyframe: requestKeyframe)
    }

    // MARK: Recordings

    @MediaActor
    package func startRecording(
        to path: String?,
        sides: Set<MediaSide>?
    ) async throws(MediaRefusal) -> String {
        guard let recordings else { throw MediaRefusal(.notReady, "the media pipelines are not open yet") }
        try recordings.checkIsFree()
        let place = try outputPath(path, otherwise: configuration.outputFolders.video)
        let name = place.template.path
        guard let container = Container(path: name) else {
            throw MediaRefusal(
                .badPath,
                "a recording's name must end in .mkv, .mp4 or .webm, not “\(name)”"
            )
        }
        let held: Set<MediaSide> = sides ?? (container == .mkv ? [.remote, .local] : [.remote])
        guard held.count < 2 || container == .mkv else {
            throw MediaRefusal(
                .badFormat,
                "a recording of both sides must have a name ending in .mkv, not “\(name)”"
            )
        }
        try OutputPath.checkSpace(beside: name)
        let file = try reserve(place.template, container, isPrivate: path == nil)
        do { try recordings.begin(file, sides: held, peer: peer) } catch {
            file.removeIfEmpty()
            throw error
        }
        return file.path
    }

    @MediaActor package func stopRecording() async throws(MediaRefusal) {
        guard await recordings?.endManually() ?? false else {
            throw MediaRefusal(.notRecording, "no manual recording is running")
        }
    }

    private func reserve(
        _ template: NameTemplate,
        _ container: Container,
        isPrivate: Bool
    ) throws(MediaRefusal) -> RecordingFile {
        do throws(MediaFailure) {
            return try RecordingFile(
                named: template,
                container: container,
                overwrite: false,
                isPrivate: isPrivate,
                segmentLength: configuration.recordings.first?.file.segmentLength
            )
        } catch { throw MediaRefusal(error) }
    }

    /// Returns the requested path or, if it is nil, the first path of `defaults` at which no file exists.
    private func outputPath(
        _ text: String?,
        otherwise defaults: some Sequence<String>
    ) throws(MediaRefusal) -> OutputPath {
        let names = configuration.outputFolders.names
        if let text { return try OutputPath(text, filling: names, peer: peer) }
        for text in defaults {
            let place = try OutputPath(text, filling: names, peer: peer)
            if place.isFree { return place }
        }
        throw MediaRefusal(.badPath, "files with all default names exist already; give a path")
    }

    // MARK: Snapshots

    @MediaActor
    package func takeSnapshot(to path: String?) async throws(MediaRefusal) -> String {
        let place = try outputPath(path, otherwise: configuration.outputFolders.picture)
        let name = place.template.path
        guard let format = SnapshotFile.Format(path: name) else {
            throw MediaRefusal(.badPath, "a snapshot's name ends in .jpg or .png, and “\(name)” does not")
        }
        guard let remoteVideo else { throw MediaRefusal(.noFrame, "the peer sends no video") }
        try OutputPath.checkSpace(beside: name)
        let file: SnapshotFile
        do throws(MediaFailure) {
            file = try SnapshotFile(
                named: place.template,
                format: format,
                interval: nil,
                overwrite: false,
                isPrivate: path == nil
            )
        } catch { throw MediaRefusal(error) }
        defer { file.removeIfEmpty() }
        guard let keyframe = await remoteVideo.nextKeyframe() else {
            throw MediaRefusal(.noFrame, "the peer sent no keyframe within five seconds")
        }
        return try await keep(keyframe, in: file, as: format)
    }

    private func keep(
        _ keyframe: MediaSample,
        in file: SnapshotFile,
        as format: SnapshotFile.Format
    ) async throws(MediaRefusal) -> String {
        do {
            let picture = KeyframeImage(library: configuration.library, limit: configuration.decodingLimit)
            let bytes = try await picture.bytes(of: keyframe, as: format)
            try file.write(bytes, to: file.path)
            noticeContinuation.yield(.snapshotSaved(path: file.path, bytes: bytes.count))
            return file.path
        } catch let refusal as KeyframeImage.Refusal {
            throw MediaRefusal(.noFrame, "\(refusal)")
        } catch {
            let reason = (error as? MediaFailure)?.sentence ?? "\(error)"
            throw MediaRefusal(.badPath, "\(file.path) could not be saved: \(reason)")
        }
    }
}
