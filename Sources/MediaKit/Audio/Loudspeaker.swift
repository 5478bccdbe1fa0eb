package import Basics
package import GStreamerKit
internal import Synchronization

/// Plays the peer's audio during all attempts of a call, and reopens the playback device after a loss.
@MediaActor
package final class Loudspeaker {
    /// Receives the played audio and the time on the shared clock at which it is heard; called on the
    /// streaming thread.
    var listener: (@Sendable (MediaSample, UInt64) -> Void)?

    package private(set) var device: AudioDevice
    private let library: PipelineLibrary
    private let meter: AudioMeter
    private let warn: @Sendable (String) -> Void
    private var percent = 100
    private var heard: Heard?
    private var playback: Playback?
    /// The number of the current playback, by which late events of earlier playbacks are recognized and
    /// ignored.
    private var generation = 0
    private var isLost = false
    private var tasks: [Task<Void, Never>] = []
    private let orders: AsyncStream<Order>.Continuation
    private let losses: AsyncStream<Void>.Continuation

    private enum Order: Sendable {
        case play(Heard), stop(SampleHub), tryAgain
        case broke(Int, String), works(Int), clockMoved(Int)
        /// Switches the device; the continuation receives the failure if the device cannot be opened.
        case select(AudioDevice, AsyncStream<MediaFailure>.Continuation)
    }

    /// The audio to play and the playout that keeps it in sync with the video.
    private struct Heard: Sendable {
        var hub: SampleHub
        var playout: Playout
    }

    /// A running playback pipeline.
    private struct Playback {
        var pipeline: Pipeline
        var attachment: SampleHub.Attachment
        var feed: AudioFeed
        var reader: Task<Void, Never>
    }

    /// Creates a loudspeaker without opening its device, which is opened when there is audio to play.
    ///
    /// - Parameters:
    ///   - device: the playback device.
    ///   - meter: measures the received audio before the volume is applied.
    ///   - library: contains the pipeline templates.
    ///   - warn: receives a sentence when the device is lost and when it is back.
    init(
        _ device: AudioDevice,
        meter: AudioMeter,
        library: PipelineLibrary,
        warn: @escaping @Sendable (String) -> Void
    ) {
        (self.device, self.library, self.meter, self.warn) = (device, library, meter, warn)
        let (orders, order) = AsyncStream.makeStream(of: Order.self)
        let (losses, loss) = AsyncStream.makeStream(of: Void.self)
        (self.orders, self.losses) = (order, loss)
        tasks = [
            Task { [weak self] in for await order in orders { await self?.carryOut(order) } },
            Task {
                var pauses = Backoff.afterDeviceLoss
                for await _ in losses {
                    guard (try? await Task.sleep(for: pauses.next(random: 0))) != nil else { return }
                    order.yield(.tryAgain)
                }
            },
        ]
    }

    /// Sets the playback volume in percent.
    package func setVolume(_ percent: Int) {
        self.percent = percent
        if let playback { applyVolume(to: playback.pipeline) }
    }

    /// The audio level since the last access, in dBov; nil if nothing was played.
    ///
    /// It is to be read once a second.
    package var level: Double? { meter.read() }

    /// Plays the audio of `hub` instead of the current audio, in sync with the video that `playout` schedules.
    package func play(_ hub: SampleHub, at playout: Playout) {
        orders.yield(.play(Heard(hub: hub, playout: playout)))
    }

    /// Stops playback if `hub` is being played.
    package func stop(playing hub: SampleHub) { orders.yield(.stop(hub)) }

    /// Switches to another device; if it cannot be opened, the current device remains in use.
    ///
    /// - Throws: `MediaFailure`.
    package func select(_ other: AudioDevice) async throws(MediaFailure) {
        let (answers, answer) = AsyncStream.makeStream(of: MediaFailure.self)
        guard case .enqueued = orders.yield(.select(other, answer)) else { return }
        for await failure in answers { throw failure }
    }

    private func change(to other: AudioDevice, _ answer: AsyncStream<MediaFailure>.Continuation) async {
        defer { answer.finish() }
        await halt()
        let before = device
        (device, isLost) = (other, false)
        guard let heard else { return }
        generation += 1
        do { playback = try begin(heard) } catch {
            answer.yield(MediaFailure(error))
            device = before
            await start()
        }
    }

    package func close() async {
        orders.finish()
        losses.finish()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await halt()
    }

    private func carryOut(_ order: Order) async {
        switch order {
        case .play(let heard):
            await halt()
            self.heard = heard
            await start()
        case .stop(let hub):
            guard heard?.hub === hub else { return }
            await halt()
            heard = nil
        case .tryAgain: if playback == nil { await start() }
        case .broke(generation, let reason): await lose(reason)
        case .works(generation) where isLost:
            isLost = false
            warn("the loudspeaker \(device.name) is back")
        case .clockMoved(generation): await reopen()
        case .broke, .works, .clockMoved: break
        case .select(let other, let answer): await change(to: other, answer)
        }
    }

    /// Reopens the device to measure its latency again.
    ///
    /// If a device other than the default was chosen and the sound server has moved its audio to another device, that
    /// other device is opened.
    private func reopen() async {
        let moved = playback?.pipeline.element(named: "output")?.string("current-device")
        if let moved, !moved.isEmpty, device.address != nil { device.address = moved }
        await halt()
        await start()
    }

    private func start() async {
        guard let heard else { return }
        generation += 1
        do { playback = try begin(heard) } catch { await lose(MediaFailure(error).sentence) }
    }

    /// Creates a new pipeline for each playback, because the delayed links of a decodebin in gst-launch
    /// syntax are made only once.
    private func begin(_ heard: Heard) throws -> Playback {
        let pipeline = try Pipeline(
            parsing: library.description("viewers/audio", ["speaker": device.element]),
            name: "speaker"
        )
        guard let source = pipeline.element(named: "source"),
            let volume = pipeline.element(named: "volume"), let output = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(
                element: "viewers/audio",
                message: "it lacks “source”, “volume” or “output”"
            )
        }
        if let address = device.address { output.set("device", address) }
        volume.pad("sink")?.onSample { [meter] in meter.hear($0) }
        let feed = AudioFeed(pipeline, output: output, playout: heard.playout) { [orders, generation] in
            orders.yield(.clockMoved(generation))
        }
        volume.pad("src")?.onSample { [listener] sample in
            if let time = feed.arrived(sample) { listener?(sample, time) }
        }
        applyVolume(to: pipeline)
        // with any other clock, all audio after a stall of the device would be late
        pipeline.followOwnClock()
        let reader = read(pipeline.messages, of: generation)
        do { try pipeline.setState(.playing) } catch {
            reader.cancel()
            try? pipeline.setState(.null)
            throw error
        }
        let input = AppSource(source)
        let attachment = heard.hub.attach { sample in
            if let time = feed.time(of: sample) { input.push(sample.shifted(to: time, decodeTime: nil)) }
        }
        return Playback(pipeline: pipeline, attachment: attachment, feed: feed, reader: reader)
    }

    private func read(_ messages: AsyncStream<BusMessage>, of number: Int) -> Task<Void, Never> {
        Task { [orders] in
            for await message in messages {
                switch message {
                case .error(_, _, let text, _): orders.yield(.broke(number, text))
                case .stateReached: orders.yield(.works(number))
                default: break
                }
            }
        }
    }

    private func applyVolume(to pipeline: Pipeline) {
        pipeline.element(named: "volume")?.set("volume", parsing: "\(Double(percent) / 100)")
    }

    private func halt() async {
        guard let playback else { return }
        self.playback = nil
        playback.attachment.detach()
        playback.feed.close()
        try? playback.pipeline.setState(.null)
        heard?.playout.audioStopped()
        playback.reader.cancel()
        await playback.reader.value
    }

    /// Handles the loss of the device, and warns once per loss.
    ///
    /// Several elements may report the same loss, and each failed attempt to reopen the device reports it
    /// again.
    private func lose(_ reason: String) async {
        generation += 1
        await halt()
        if !isLost {
            warn("the loudspeaker \(device.name) is lost, so the peer's audio is not played: \(reason)")
        }
        isLost = true
        losses.yield()
    }
}
