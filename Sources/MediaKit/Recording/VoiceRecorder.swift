package import Basics
internal import GStreamerKit
internal import Synchronization

/// A recorder of the microphone alone, as Opus in an Ogg file (RFC 7845).
package enum VoiceRecorder {
    /// Records the microphone that `request` selects until `end` finishes or the task is cancelled; the file is complete
    /// in both cases.
    ///
    /// - Parameters:
    ///   - request: The microphone.
    ///   - path: The path of the new file.
    ///   - end: Finishes at the end of the recording.
    ///   - onLevel: Receives the level in dBov ten times a second, on a streaming thread.
    /// - Throws: `MediaFailure` if there is no microphone, it delivers nothing, or the file cannot be written.
    @MediaActor
    package static func record(
        _ request: AudioRequest,
        to path: String,
        until end: AsyncStream<Never>,
        onLevel: @escaping @Sendable (Double) -> Void
    ) async throws(MediaFailure) {
        guard let device = try AudioDevices.microphone(request, { _ in }).device else {
            throw .source(
                message: "there is no microphone",
                hint: "connect one, or select one in the settings"
            )
        }
        do {
            let breaks = AsyncStream.makeStream(of: MediaFailure.self)
            // It would go on with silence, as in a call.
            let microphone = Microphone(device, voice: nil, library: request.library) { _ in
                breaks.continuation.yield(
                    .source(message: "the microphone \(device.name) is lost", hint: "select another one")
                )
            }
            do {
                try await microphone.open(isReplaceable: false)
                try await write(
                    microphone,
                    to: path,
                    request.library,
                    until: end,
                    breaks,
                    AudioMeter(onLevel: onLevel)
                )
            } catch {
                await microphone.close()
                throw error
            }
            await microphone.close()
        } catch { throw MediaFailure(error) }
    }

    @MediaActor
    private static func write(
        _ microphone: Microphone,
        to path: String,
        _ library: PipelineLibrary,
        until end: AsyncStream<Never>,
        _ breaks: (stream: AsyncStream<MediaFailure>, continuation: AsyncStream<MediaFailure>.Continuation),
        _ meter: AudioMeter
    ) async throws {
        let file = try MuxedFile(path: path, try library.description("recorders/voice")) {
            breaks.continuation.yield($0)
        }
        guard let input = file.pipeline.element(named: "voice").map({ AppSource($0) }) else {
            throw GStreamerError.missingElement("appsrc")
        }
        // The file begins at zero, whatever the clock of the microphone shows.
        let origin = Mutex<UInt64?>(nil)
        let attachment = microphone.tracks[0].hub.attach { sample in
            guard let time = sample.presentationTime else { return }
            meter.hear(sample)
            let first = origin.withLock { origin in
                origin = origin ?? time
                return min(origin ?? time, time)
            }
            input.push(sample.shifted(to: time - first, decodeTime: nil))
        }
        file.start()
        let failure: (any Error)?
        do {
            try microphone.connectionIsUp()
            failure = await withTaskGroup(of: MediaFailure?.self) { group in
                group.addTask { await breaks.stream.first { _ in true } }
                group.addTask {
                    for await _ in end {}
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        } catch { failure = error }
        attachment.detach()
        input.endOfStream()
        try await file.finish()
        if let failure { throw failure }
    }
}
