package import Basics
internal import GStreamerKit
internal import Synchronization

/// A recorder of the microphone alone, as Opus in an Ogg file (RFC 7845).
package enum VoiceRecorder {
    /// The reason why a recording was not begun, or has ended early.
    package enum Failure: Error, Hashable, Sendable {
        /// There is no microphone, or it delivers nothing.
        case unavailable(MediaFailure)
        /// The microphone was lost; the file contains the recording up to that time.
        case lost(MediaFailure)
        /// The file can no longer be written.
        case unwritable(MediaFailure)

        package var cause: MediaFailure {
            switch self {
            case .unavailable(let cause), .lost(let cause), .unwritable(let cause): cause
            }
        }
    }

    /// Records the microphone that `request` selects until `end` finishes or the task is cancelled.
    ///
    /// The file is complete in both cases.
    ///
    /// - Parameters:
    ///   - request: The microphone.
    ///   - path: The path of the file.
    ///   - end: A stream whose end ends the recording.
    ///   - onLevel: Receives the level in dBov ten times a second, on a streaming thread.
    /// - Throws: `Failure`.
    @MediaActor
    package static func record(
        _ request: AudioRequest,
        to path: String,
        until end: AsyncStream<Never>,
        onLevel: @escaping @Sendable (Double) -> Void
    ) async throws(Failure) {
        let device: AudioDevice?
        do { device = try AudioDevices.microphone(request, { _ in }).device } catch {
            throw .unavailable(error)
        }
        let hint = "select another one in the settings"
        guard let device else { throw .unavailable(.source(message: "there is no microphone", hint: hint)) }
        let breaks = AsyncStream.makeStream(of: Failure.self)
        // After a loss, `Microphone` sends silence, as in a call; here, the recording ends instead.
        let microphone = Microphone(device, voice: nil, library: request.library) { _ in
            breaks.continuation.yield(
                .lost(.source(message: "the microphone \(device.name) is lost", hint: hint))
            )
        }
        var failure: Failure?
        do { try await microphone.open(isReplaceable: false) } catch {
            failure = .unavailable(MediaFailure(error))
        }
        if failure == nil {
            do {
                failure = try await write(
                    microphone,
                    to: path,
                    request.library,
                    until: end,
                    breaks,
                    AudioMeter(onLevel: onLevel)
                )
            } catch { failure = .unwritable(MediaFailure(error)) }
        }
        await microphone.close()
        if let failure { throw failure }
    }

    /// Writes until `end` finishes or the recording fails, and returns the failure; nil if there is none.
    @MediaActor
    private static func write(
        _ microphone: Microphone,
        to path: String,
        _ library: PipelineLibrary,
        until end: AsyncStream<Never>,
        _ breaks: (stream: AsyncStream<Failure>, continuation: AsyncStream<Failure>.Continuation),
        _ meter: AudioMeter
    ) async throws -> Failure? {
        let file = try MuxedFile(path: path, try library.description("recorders/voice")) {
            breaks.continuation.yield(.unwritable($0))
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
        let failure: Failure?
        do {
            try microphone.connectionIsUp()
            failure = await withTaskGroup(of: Failure?.self) { group in
                group.addTask { await breaks.stream.first { _ in true } }
                group.addTask {
                    for await _ in end {}
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        } catch { failure = .unavailable(MediaFailure(error)) }
        attachment.detach()
        input.endOfStream()
        try await file.finish()
        return failure
    }
}
