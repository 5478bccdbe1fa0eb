internal import Basics
internal import CallCore
internal import GLibKit
internal import GStreamerKit
internal import MediaKit

extension LiveMediaSession {
    /// Prepares the tracks of all negotiated sections; starts them only if the connection is established.
    func prepareTracks(_ settled: [Int: CodecPlan.Choice]) async throws {
        var received: [MediaKind: Codec] = [:]
        var new: [OutgoingStream] = []
        for (index, choice) in settled {
            choices[index] = choice
            if !sending.contains(index) {
                outgoing[index]?.stop()
            } else if outgoing[index] == nil, let track = try await makeTrack(choice, at: index) {
                outgoing[index] = track
                new.append(track.stream)
            }
            if scope.receives, let remote, remote.media.indices.contains(index), remote.media[index].sends {
                received[choice.codec.kind] = choice.codec
            }
        }
        service.recordings?.expect(Set(receiving.keys).union(received.keys), of: .remote)
        service.recordings?.expect(sending.compactMap { settled[$0]?.codec.kind }, of: .local)
        for (kind, codec) in received where receiving[kind] == nil {
            receiving[kind] = codec
            incoming.codecs.expect(codec)
            try receive(kind, codec)
            incoming.follow(codec)
        }
        await outgoingMedia.keepOnly(outgoing.values.map(\.stream))
        for stream in new { await service.showPreview(of: stream) }
        if isConnected { startTracks() }
        watchForStall()
        try Task.checkCancellation()
    }

    private func makeTrack(_ choice: CodecPlan.Choice, at index: Int) async throws -> OutgoingTrack? {
        guard let pad = pads[index], let stream = try await outgoingMedia.stream(for: choice) else {
            return nil
        }
        return try OutgoingTrack(
            stream,
            payloadType: choice.payloadType,
            ssrc: ssrcs[choice.codec.kind],
            header: playoutHeader(choice, at: index),
            to: pad,
            in: pipeline,
            counters: counters,
            library: service.configuration.library
        )
    }

    /// Returns a writer for the playout-delay header extension; nil if the peer did not negotiate it.
    private func playoutHeader(_ choice: CodecPlan.Choice, at index: Int) -> HeaderExtensionWriter? {
        guard let remote, remote.media.indices.contains(index) else { return nil }
        let features = SectionFeatures(of: remote.media[index], payloadType: choice.payloadType, ssrc: nil)
        let hint = adaptation.playoutDelayHint
        return features.playoutDelayID.flatMap { HeaderExtensionWriter(id: $0) { hint.value } }
    }

    /// Attaches the recordings, loudspeaker, snapshots and window to the received stream of this codec.
    private func receive(_ kind: MediaKind, _ codec: Codec) throws {
        let hub = incoming.hub(for: codec)
        let requestKeyframe = { @Sendable [weak incoming] in incoming?.requestKeyframe() ?? () }
        service.recordings?.record(
            hub,
            kind: kind,
            codec: codec,
            of: .remote,
            requestKeyframe: requestKeyframe
        )
        guard kind == .video else { return try receiveAudio(hub) }
        service.watchVideo(of: hub, requestKeyframe: requestKeyframe)
        let configuration = service.configuration
        guard let sink = configuration.window ?? configuration.frames else { return }
        // Without a window, the first frame is reported before it is decoded.
        let firstFrame = configuration.window == nil ? nil : firstFrame
        let gate = GatedStream(
            codec,
            limit: configuration.decodingLimit,
            warn: { [service] in service.warn($0) },
            requestKeyframe: requestKeyframe
        )
        decoders[.video] = try VideoRenderer(
            .remote,
            of: hub,
            at: incoming.playout,
            through: gate,
            in: sink,
            library: configuration.library,
            onError: { [service] in service.warn("the peer's video is not shown: \($0.sentence)") },
            onFrame: { firstFrame?.happened() }
        )
    }

    private func receiveAudio(_ hub: SampleHub) throws {
        service.loudspeaker?.play(hub, at: incoming.playout)
        guard let samples = service.configuration.samples else { return }
        decoders[.audio] = try AudioDecoder(
            of: hub,
            library: service.configuration.library,
            onError: { [service] in service.warn("the peer's audio is not decoded: \($0.sentence)") },
            onSamples: samples
        )
    }

    /// Switches the receivers to another codec when the peer starts to send it, at most once a second.
    func followCodecs() async {
        for await _ in incoming.codecs.changes {
            for (kind, codec) in incoming.codecs.current where receiving[kind].map({ $0 != codec }) ?? false {
                receiving[kind] = codec
                await change(kind, to: codec)
            }
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        }
    }

    private func change(_ kind: MediaKind, to codec: Codec) async {
        await decoders.removeValue(forKey: kind)?.close()
        guard closing == nil else { return }
        do { try receive(kind, codec) } catch { return fail(CallMediaFailure(error)) }
        incoming.follow(codec)
    }

    /// Starts sending media; called when ICE and DTLS are connected.
    func connect() {
        guard !isConnected else { return }
        isConnected = true
        connectedSince = .now
        ICEPacing.shared.release(self)
        eventContinuation.yield(.connected)
        service.draw(pipeline, at: "connected")
        startTracks()
        adapt()
        watchForStall()
        do { try outgoingMedia.connectionIsUp() } catch { fail(CallMediaFailure(error)) }
    }

    /// Starts to send and record the outgoing tracks that were not started before.
    private func startTracks() {
        guard closing == nil else { return }
        let tracks = outgoing.filter { sending.contains($0.key) }.values
        service.recordings?.expect(tracks.map(\.stream.kind), of: .local)
        for track in tracks where track.start() {
            let stream = track.stream
            service.recordings?.record(
                stream.hub,
                kind: stream.kind,
                codec: stream.codec,
                of: .local,
                requestKeyframe: { [weak stream] in stream?.makeKeyframe() }
            )
        }
    }

    nonisolated func fail(_ failure: CallMediaFailure) { eventContinuation.yield(.failed(failure)) }

    /// Closes the peer connection; source, window and recordings remain open.
    ///
    /// Further calls wait for the first call. Cancellation of the calling task does not interrupt closing.
    @MediaActor func close() async {
        let task = closing ?? Task { await shutDown() }
        closing = task
        await task.value
    }

    private func shutDown() async {
        connectedSpan = connectedSince.map { .now - $0 }
        ICEPacing.shared.release(self)
        for cancel in operations.values { cancel() }
        for watcher in watchers { watcher.cancel() }
        feedback.finish()
        if remote != nil { service.draw(pipeline, at: "closing") }
        for track in outgoing.values { track.stop() }
        incoming.close()
        // Elements that webrtcbin is adding at this moment cannot be stopped: the pipeline would keep
        // running, or crash.
        await bin.settle(within: .seconds(2))
        try? pipeline.setState(.null)
        if !relays.isEmpty { await bin.releaseRelays() }
        if let codec = receiving[.audio] { service.loudspeaker?.stop(playing: incoming.hub(for: codec)) }
        for decoder in decoders.values { await decoder.close() }
        for watcher in watchers { await watcher.value }
        (watchers, outgoing, decoders) = ([], [:], [:])
        await service.forget(self)
        eventContinuation.finish()
    }
}
