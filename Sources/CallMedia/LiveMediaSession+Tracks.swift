internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    /// Lays every stream that was settled on, before the connection is up; nothing flows yet.
    func prepareTracks(_ settled: [Int: CodecPlan.Choice]) throws {
        var received: [MediaKind: Codec] = [:]
        for (index, choice) in settled {
            let kind = choice.codec.kind
            choices[kind] = choice
            if let pad = pads[index], let stream = try outbox.stream(for: choice) {
                outgoing.append(
                    try OutgoingTrack(
                        stream,
                        payloadType: choice.payloadType,
                        to: pad,
                        in: pipeline,
                        counters: counters,
                        library: service.configuration.library
                    )
                )
            }
            if let remote, remote.media.indices.contains(index), remote.media[index].sends {
                received[kind] = choice.codec
            }
        }
        service.recorder?.expect(received)
        for (kind, codec) in received { try receive(kind, codec) }
    }

    private func receive(_ kind: MediaKind, _ codec: Codec) throws {
        let hub = incoming.hub(for: kind)
        service.recorder?.record(hub, kind: kind, codec: codec)
        guard let window = service.configuration.window else { return }
        let library = service.configuration.library
        switch kind {
        case .audio: viewers.append(try ViewerStage(playing: hub, library: library))
        case .video:
            let first = FirstOccurrence { [news] in news.yield(.firstFrame(.video)) }
            viewers.append(
                try ViewerStage(.remote, of: hub, in: window, library: library) { first.happened() }
            )
        }
    }

    /// Lets media flow: ICE and DTLS are up.
    func connect() {
        guard !isConnected else { return }
        isConnected = true
        news.yield(.connected)
        service.localRecorder?.expect(
            Dictionary(outgoing.map { ($0.stream.kind, $0.stream.codec) }, uniquingKeysWith: { $1 })
        )
        for track in outgoing {
            track.start()
            service.localRecorder?.record(
                track.stream.hub,
                kind: track.stream.kind,
                codec: track.stream.codec
            )
            service.showPreview(of: track.stream)
        }
        do { try outbox.connectionIsUp() } catch { fail(MediaFailure(error)) }
    }

    nonisolated func fail(_ failure: MediaFailure) { news.yield(.failed(failure)) }

    /// Releases the peer connection; source, window and recordings stay.
    @MediaActor func close() async {
        for watcher in watchers { watcher.cancel() }
        for track in outgoing { track.stop() }
        for viewer in viewers { viewer.close() }
        incoming.close()
        try? pipeline.setState(.null)
        for watcher in watchers { await watcher.value }
        (watchers, outgoing, viewers) = ([], [], [])
        service.forget(self)
        news.finish()
    }
}
