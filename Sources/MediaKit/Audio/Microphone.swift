internal import Basics
package import GStreamerKit
internal import Synchronization

/// A microphone that is replaced by silence while there is no device or the device is lost.
@MediaActor
package final class Microphone: LocalSource {
    package let tracks: [SourceTrack]

    private let library: PipelineLibrary
    package private(set) var device: AudioDevice?
    private let voice: VoiceProcessor?
    private let warn: @Sendable (String) -> Void
    private let hub = SampleHub()
    private let times = CaptureTimes()
    private var source: LiveSource?
    private var attachment: SampleHub.Attachment?
    private let processed: SampleHub.Attachment?
    private var keeper: Task<Void, Never>?
    private let losses: AsyncStream<Loss>
    private let loss: AsyncStream<Loss>.Continuation
    /// The number of the source in use, by which late events of earlier sources are recognized and ignored.
    private var generation = 0
    /// The number of sources created so far.
    private var made = 0
    private var isUp = false
    private var isHeard = false
    private var isClosed = false

    private struct Loss: Sendable {
        var generation: Int
        var failure: MediaFailure
    }

    private static let openingLimit = Duration.seconds(2)

    /// Creates a microphone without opening its device.
    ///
    /// - Parameters:
    ///   - device: the capture device; nil if there is none.
    ///   - voice: processes the microphone's signal; nil for no processing. It is closed with the microphone.
    ///   - library: contains the pipeline templates.
    ///   - warn: receives a sentence with the reason when silence begins, and another sentence when the
    ///     device is back.
    init(
        _ device: AudioDevice?,
        voice: VoiceProcessor?,
        library: PipelineLibrary,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.library = library
        self.device = device
        self.voice = voice
        self.warn = warn
        tracks = [SourceTrack(kind: .audio, format: .raw, hub: hub)]
        processed = voice?.hub.attach { [hub] in hub.publish($0) }
        (losses, loss) = AsyncStream.makeStream(of: Loss.self)
    }

    /// Opens the device and waits for audio.
    ///
    /// If there is no device, it warns and sends silence. If no audio arrives, it does the same if `isReplaceable` is
    /// true, and throws otherwise.
    ///
    /// - Throws: `MediaFailure`, `GStreamerError` if an element is missing, or `CancellationError`.
    func open(isReplaceable: Bool = true) async throws {
        guard let device else {
            warn("there is no microphone, so silence is sent")
            use(try silence())
            return
        }
        keep()
        do {
            use(try await listen(to: device))
            isHeard = true
        } catch let failure as MediaFailure {
            guard isReplaceable else {
                let message = "the microphone \(device.name) cannot be used: \(failure.reason)"
                throw MediaFailure.source(message: message, hint: "select another one")
            }
            warn("the microphone \(device.name) cannot be used, so silence is sent: \(failure.reason)")
            use(try silence())
            loss.yield(Loss(generation: generation, failure: failure))
        }
    }

    /// Switches to another device; if it delivers no audio, the current device remains in use.
    ///
    /// - Throws: `MediaFailure`, `GStreamerError` if an element is missing, or `CancellationError`.
    package func select(_ other: AudioDevice) async throws {
        let source = try await listen(to: other)
        guard !isClosed else {
            await source.source.close()
            throw CancellationError()
        }
        // A task that waits for the previous device to return sees the change and gives up.
        device = other
        isHeard = true
        keep()
        await use(source)?.close()
    }

    private func keep() {
        keeper =
            keeper
            ?? Task { [weak self, losses] in for await loss in losses { await self?.make(good: loss) } }
    }

    /// Opens the device, waits until it delivers audio, and pauses it.
    private func listen(to device: AudioDevice) async throws -> (source: LiveSource, number: Int) {
        made += 1
        let number = made
        let source = try LiveSource(
            description: library.description("sources/microphone", ["microphone": device.element]),
            configure: { pipeline in
                guard let address = device.address else { return }
                pipeline.element(named: "microphone")?.set("device", address)
            },
            events: SourceEvents(failed: { [loss] in loss.yield(Loss(generation: number, failure: $0)) })
        ) { .source(message: $0, hint: "") }
        do {
            let silent = MediaFailure.source(message: "it delivers no audio", hint: "")
            try await source.delivers(within: Self.openingLimit, otherwise: silent)
            source.rest()
            return (source, number)
        } catch {
            await source.close()
            throw error
        }
    }

    private func silence() throws -> (source: LiveSource, number: Int) {
        made += 1
        let source = try LiveSource(
            description: library.description("sources/silence"),
            events: SourceEvents(failed: { _ in })
        ) { .pipeline(element: "silence", message: $0) }
        return (source, made)
    }

    /// Sends the audio of another source from now on.
    ///
    /// - Returns: the source used before.
    @discardableResult
    private func use(_ other: (source: LiveSource, number: Int)) -> LiveSource? {
        attachment?.detach()
        let before = source
        (source, generation) = other
        times.restart()
        attachment = other.source.tracks.first?.hub.attach { [hub, voice, times] sample in
            let sample = sample.shifted(to: times.next(for: sample), decodeTime: nil)
            if let voice { voice.process(sample) } else { hub.publish(sample) }
        }
        if isUp { try? other.source.connectionIsUp() }
        return before
    }

    /// Sends silence until the device is back.
    private func make(good loss: Loss) async {
        guard loss.generation == generation, let device else { return }
        if isHeard {
            isHeard = false
            warn("the microphone \(device.name) is lost, so silence is sent: \(loss.failure.reason)")
            if let silence = try? silence() { await use(silence)?.close() }
        }
        var pauses = Backoff.afterDeviceLoss
        while (try? await Task.sleep(for: pauses.next(random: 0))) != nil, self.device == device {
            guard let source = try? await listen(to: device) else { continue }
            guard self.device == device else { return await source.source.close() }
            isHeard = true
            warn("the microphone \(device.name) is back")
            await use(source)?.close()
            return
        }
    }

    package func connectionIsUp() throws {
        isUp = true
        try source?.connectionIsUp()
    }

    package func rest() {
        isUp = false
        source?.rest()
    }

    package func close() async {
        isClosed = true
        keeper?.cancel()
        loss.finish()
        await keeper?.value
        attachment?.detach()
        await source?.close()
        processed?.detach()
        await voice?.close()
    }
}

/// The timestamps of a microphone's audio, which never decrease when the device changes.
private final class CaptureTimes: Sendable {
    /// The assumed duration of a sample without a duration, in nanoseconds.
    private static let usualDuration: UInt64 = 10_000_000

    private let clock = Mutex(CaptureClock())

    func restart() { clock.withLock { $0.restart() } }

    /// Returns the timestamp of a sample that has just arrived.
    func next(for sample: MediaSample) -> UInt64 {
        let duration = sample.duration ?? Self.usualDuration
        return clock.withLock { $0.next(arrival: MediaClock.shared.now, lasting: duration) }
    }
}

extension MediaFailure {
    /// The message of a source failure without its hint, or the whole sentence of any other failure.
    fileprivate var reason: String {
        if case .source(let message, _) = self { message } else { sentence }
    }
}
