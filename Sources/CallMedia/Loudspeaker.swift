internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// Plays what the peer says, attempt after attempt, and comes back where its device was lost.
@MediaActor
final class Loudspeaker {
    /// For `webrtcdsp`, which finds by it what is played; nil without a probe.
    let probe: String?

    private let pipeline: Pipeline
    private let source: Element
    private let volume: Element?
    private let meter: SoundMeter
    private let name: String
    private let warn: @Sendable (String) -> Void
    private var hub: SampleHub?
    private var attachment: SampleHub.Attachment?
    private var isLost = false
    private var isAwaited = false
    private var tasks: [Task<Void, Never>] = []
    private let retry: AsyncStream<Void>.Continuation

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
    /// - Throws: `MediaFailure`, or `GStreamerError` where an element is missing.
    init(
        _ device: SoundDevice,
        hasProbe: Bool,
        meter: SoundMeter,
        library: PipelineLibrary,
        warn: @escaping @Sendable (String) -> Void
    ) throws {
        let number = Self.probes.wrappingAdd(1, ordering: .relaxed).newValue
        probe = hasProbe ? "echo-probe-\(number)" : nil
        let tap = try probe.map { "! " + (try library.description("voice/probe", ["probe": $0])) }
        pipeline = try Pipeline(
            parsing: library.description("viewers/audio", ["speaker": device.element, "tap": tap ?? ""]),
            name: "speaker"
        )
        guard let source = pipeline.element(named: "source") else {
            throw MediaFailure.pipeline(element: "viewers/audio", message: "it lacks an appsrc “source”")
        }
        self.source = source
        if let address = device.address { pipeline.element(named: "output")?.set("device", address) }
        volume = pipeline.element(named: "volume")
        volume?.pad("sink")?.onData { meter.hear($0) }
        self.meter = meter
        self.warn = warn
        name = device.name
        let (retries, retry) = AsyncStream.makeStream(of: Void.self)
        self.retry = retry
        let messages = pipeline.messages
        tasks = [
            Task { [weak self] in for await message in messages { self?.handle(message) } },
            Task { [weak self] in
                var pauses = Backoff()
                for await _ in retries {
                    guard (try? await Task.sleep(for: pauses.next())) != nil else { return }
                    self?.startAgain()
                }
            },
        ]
    }

    /// Percent of what comes.
    func setVolume(_ percent: Int) { volume?.set("volume", parsing: "\(Double(percent) / 100)") }

    /// The last second's level in dBov; nil where nothing was played.
    var level: Double? { meter.read() }

    /// Plays `hub` in place of what was played so far.
    func play(_ hub: SampleHub) {
        stop()
        self.hub = hub
        start()
    }

    /// Falls silent, where it is `hub` that is played.
    func stop(playing hub: SampleHub) { if self.hub === hub { stop() } }

    func close() async {
        stop()
        retry.finish()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func start() {
        guard let hub else { return }
        do { try pipeline.setState(.playing) } catch { return lose("it does not open") }
        // The appsrc forgets its caps with each stop; whoever feeds it must, too.
        let input = AppSource(source)
        let delay = Mutex(PlayoutDelay())
        attachment = hub.attach { sample in
            let now = MediaClock.shared.now
            let time = delay.withLock { $0.playTime(of: sample.presentationTime ?? now, arrivingAt: now) }
            input.push(sample.shifted(to: time, decodeTime: nil))
        }
    }

    private func stop() {
        halt()
        hub = nil
    }

    private func halt() {
        attachment?.detach()
        attachment = nil
        try? pipeline.setState(.null)
    }

    private func handle(_ message: BusMessage) {
        switch message {
        case .error(_, let text, _): lose(text)
        case .latencyChanged: pipeline.recalculateLatency()
        case .stateReached where isLost && !isAwaited:
            isLost = false
            warn("the loudspeaker \(name) is back")
        default: break
        }
    }

    /// One loss may be told by several elements.
    private func lose(_ reason: String) {
        guard !isAwaited, hub != nil else { return }
        halt()
        if !isLost { warn("the loudspeaker \(name) is lost, so the peer is not heard: \(reason)") }
        (isLost, isAwaited) = (true, true)
        retry.yield()
    }

    private func startAgain() {
        isAwaited = false
        start()
    }
}
