internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// Plays what the peer says, attempt after attempt, and comes back where its device was lost.
@MediaActor
final class Loudspeaker {
    /// For `webrtcdsp`, which finds by its name what is played; nil without echo cancellation.
    ///
    /// It outlives the pipelines that it stands in, because `webrtcdsp` looks for it once.
    let probe: Element?

    private let device: SoundDevice
    private let library: PipelineLibrary
    private let meter: SoundMeter
    private let warn: @Sendable (String) -> Void
    private var percent = 100
    private var hub: SampleHub?
    private var playback: Playback?
    /// Counts the playbacks, so that what an earlier one still says is passed over.
    private var generation = 0
    private var isLost = false
    private var tasks: [Task<Void, Never>] = []
    private let orders: AsyncStream<Order>.Continuation
    private let losses: AsyncStream<Void>.Continuation

    private enum Order: Sendable {
        case play(SampleHub), stop(SampleHub), tryAgain
        case broke(Int, String), works(Int)
    }

    /// One pipeline that runs.
    private struct Playback {
        var pipeline: Pipeline
        var attachment: SampleHub.Attachment
        var reader: Task<Void, Never>
    }

    /// Nanoseconds that a loudspeaker takes at least.
    ///
    /// An echo that comes up to a hundred milliseconds later is
    /// still known for one.
    private nonisolated static let delay: UInt64 = 20_000_000

    /// Counts the probes of the process, which all have one name space.
    private static let probes = Atomic(0)

    /// Nothing is opened before there is something to play.
    ///
    /// - Parameters:
    ///   - device: where it is played.
    ///   - hasProbe: whether echo is to be taken out of a microphone.
    ///   - meter: hears what comes, before the volume is applied.
    ///   - library: has the descriptions.
    ///   - warn: hears of the device's loss and return, in one sentence each.
    /// - Throws: `GStreamerError` where an element is missing.
    init(
        _ device: SoundDevice,
        hasProbe: Bool,
        meter: SoundMeter,
        library: PipelineLibrary,
        warn: @escaping @Sendable (String) -> Void
    ) throws {
        (self.device, self.library, self.meter, self.warn) = (device, library, meter, warn)
        let number = Self.probes.wrappingAdd(1, ordering: .relaxed).newValue
        probe = hasProbe ? try Element(factory: "webrtcechoprobe", name: "echo-probe-\(number)") : nil
        let (orders, order) = AsyncStream.makeStream(of: Order.self)
        let (losses, loss) = AsyncStream.makeStream(of: Void.self)
        (self.orders, self.losses) = (order, loss)
        tasks = [
            Task { [weak self] in for await order in orders { await self?.carryOut(order) } },
            Task {
                var pauses = Backoff()
                for await _ in losses {
                    guard (try? await Task.sleep(for: pauses.next())) != nil else { return }
                    order.yield(.tryAgain)
                }
            },
        ]
    }

    /// Percent of what comes.
    func setVolume(_ percent: Int) {
        self.percent = percent
        if let playback { applyVolume(to: playback.pipeline) }
    }

    /// The last second's level in dBov; nil where nothing was played.
    var level: Double? { meter.read() }

    /// Plays `hub` in place of what was played so far.
    func play(_ hub: SampleHub) { orders.yield(.play(hub)) }

    /// Falls silent, where it is `hub` that is played.
    func stop(playing hub: SampleHub) { orders.yield(.stop(hub)) }

    func close() async {
        orders.finish()
        losses.finish()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await halt()
    }

    private func carryOut(_ order: Order) async {
        switch order {
        case .play(let hub):
            await halt()
            self.hub = hub
            await start()
        case .stop(let hub):
            guard self.hub === hub else { return }
            await halt()
            self.hub = nil
        case .tryAgain: if playback == nil { await start() }
        case .broke(generation, let reason): await lose(reason)
        case .works(generation) where isLost:
            isLost = false
            warn("the loudspeaker \(device.name) is back")
        case .broke, .works: break
        }
    }

    private func start() async {
        guard let hub else { return }
        generation += 1
        do { playback = try begin(hub) } catch { await lose(MediaFailure(error).sentence) }
    }

    /// A new pipeline each time: the links behind a decodebin are made but once.
    private func begin(_ hub: SampleHub) throws -> Playback {
        let pipeline = try Pipeline(
            parsing: library.description(
                "viewers/audio",
                ["speaker": device.element, "link": probe == nil ? "!" : ""]
            ),
            name: "speaker"
        )
        guard let source = pipeline.element(named: "source"),
            let volume = pipeline.element(named: "volume"), let output = pipeline.element(named: "output")
        else {
            throw MediaFailure.pipeline(
                element: "viewers/audio",
                message: "it lacks source, volume or output"
            )
        }
        if let address = device.address { output.set("device", address) }
        volume.pad("sink")?.onData { [meter] in meter.hear($0) }
        applyVolume(to: pipeline)
        if let probe { try insert(probe, between: volume, and: output, in: pipeline) }
        pipeline.setNoLatency()  // the times that the probe sees are those of playing
        let reader = read(pipeline.messages, of: generation)
        do { try pipeline.setState(.playing) } catch {
            reader.cancel()
            release(pipeline)
            throw error
        }
        return Playback(pipeline: pipeline, attachment: feed(source, from: hub), reader: reader)
    }

    private func insert(_ probe: Element, between volume: Element, and output: Element, in pipeline: Pipeline)
        throws
    {
        pipeline.add(probe)
        guard let before = volume.pad("src"), let into = probe.pad("sink"), let out = probe.pad("src"),
            let after = output.pad("sink"), before.link(to: into), out.link(to: after)
        else {
            release(pipeline)
            throw MediaFailure.pipeline(element: "viewers/audio", message: "an echo probe does not fit in")
        }
    }

    private func feed(_ source: Element, from hub: SampleHub) -> SampleHub.Attachment {
        let input = AppSource(source)
        let even = Mutex(EvenTime())
        return hub.attach { sample in
            let (time, duration) = (MediaClock.shared.now + Self.delay, Self.duration(of: sample))
            let heard = even.withLock { $0.next(at: time, lasting: duration) }
            input.push(sample.shifted(to: heard, decodeTime: nil))
        }
    }

    /// Nanoseconds.
    private nonisolated static func duration(of sample: MediaSample) -> UInt64 {
        let isOpus = sample.caps.mediaType == "audio/x-opus"
        let packet = isOpus ? sample.withBytes { OpusSilence.duration(of: $0) } ?? nil : nil
        return packet.map { UInt64($0) * 1000 } ?? sample.duration ?? 20_000_000
    }

    private func read(_ messages: AsyncStream<BusMessage>, of number: Int) -> Task<Void, Never> {
        Task { [orders] in
            for await message in messages {
                switch message {
                case .error(_, let text, _): orders.yield(.broke(number, text))
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
        release(playback.pipeline)
        playback.reader.cancel()
        await playback.reader.value
    }

    /// Stops a pipeline and takes the probe out of it.
    private func release(_ pipeline: Pipeline) {
        try? pipeline.setState(.null)
        if let probe { pipeline.remove(probe) }
    }

    /// One loss may be told by several elements, and goes on through all tries that fail.
    private func lose(_ reason: String) async {
        generation += 1
        await halt()
        if !isLost { warn("the loudspeaker \(device.name) is lost, so the peer is not heard: \(reason)") }
        isLost = true
        losses.yield()
    }
}
