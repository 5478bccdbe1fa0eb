internal import Basics

/// The state machine of a player, which plays one stream at a time and reopens it after a loss.
///
/// It is a value without a clock, thread or socket: `handle` processes an input and returns the effects to perform. The
/// inputs come from:
///
/// - the user: `command`;
/// - the network: `networkChanged`;
/// - the service: `opened`, `refused` and `event`, each with the number of its session. A session is one opening of a
///   stream; late inputs of another session have no effect;
/// - the clock: `deadline`. A deadline is never cancelled; it has no effect unless it is the latest of its kind.
package struct LiveStateMachine: Hashable, Sendable {
    package enum Input: Hashable, Sendable {
        case command(LivePlayerCommand)
        /// The address of this computer has changed, or the network is available again.
        case networkChanged
        case opened(session: Int)
        case refused(LiveFailure, session: Int)
        case event(LiveStreamEvent, session: Int)
        case deadline(Deadline, serial: Int)
    }

    package enum Deadline: Hashable, Sendable {
        /// The time limit for the first frame after a stream was opened.
        case start
        /// The maximum time for which a stream may be stalled.
        case stall
        /// The delay before a stream is reopened.
        case retry
        /// The time of playback after which earlier failures no longer count.
        case steady
    }

    package enum Effect: Hashable, Sendable {
        /// Opens a stream; the previous one has been closed.
        case open(LiveAddress, LiveOptions, session: Int)
        /// Closes the stream, or stops opening it.
        case close
        case apply(LiveOptions)
        case seek(LiveSeek)
        case startDeadline(Deadline, Duration, serial: Int)
        case report(LiveEvent)
    }

    package static let startLimit = Duration.seconds(15)
    package static let stallLimit = Duration.seconds(20)
    package static let steadySpan = Duration.seconds(10)
    package static let pollInterval = Duration.seconds(5)
    /// The poll interval for a stream that has been played, because its publisher is likely to return soon.
    package static let quickPollInterval = Duration.seconds(2)
    /// The number of polls at the quick interval.
    package static let quickPolls = 30
    /// The delays before retries; the last one is repeated.
    ///
    /// The first ones are short, so that a stream plays again soon after a restart of the server.
    package static let waits = [1, 2, 2, 2, 2, 4, 8, 15].map { Duration.seconds($0) }
    /// The maximum number of retries for a damaged stream, which is unlikely to recover.
    package static let damageRetries = 3
    /// The distance to the live edge in segments above which the player skips to the edge.
    package static let farBehind = 6
    /// The number of progress reports after which the player skips again if it is still too far behind.
    static let skipReports = 40
    /// The duration of a live playlist below which the player skips to the live edge after a pause.
    package static let shortWindow = Duration.seconds(30)

    package private(set) var playback: LivePlayback

    private var session = 0
    /// Whether a stream is open or being opened.
    package private(set) var isOpen = false
    /// Whether the service has opened the stream, so that it accepts options and seeks.
    private var isReady = false
    private var failures = 0
    private var damages = 0
    /// The number of polls since the stream was last started.
    private var polls = 0
    /// The number of progress reports that remain until the player may skip again.
    private var skipWait = 0
    /// The last position of a stream that is not live; nil for live streams.
    private var reached: Duration?
    /// The position at which a reopened stream that is not live continues; nil once it was reached.
    private var resumption: Duration?
    /// Whether the user has selected a position behind the live edge.
    private var isBehindByChoice = false
    private var serials: [Deadline: Int] = [:]
    private var lastSerial = 0

    package init(_ options: LiveOptions = LiveOptions()) {
        playback = LivePlayback(options)
    }

    package mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .command(let command): return handle(command)
        case .networkChanged:
            switch playback.state {
            case .offline(let failure, _?): return isOpen ? [] : reopen(as: .offline(failure, retryIn: nil))
            case .notLive: return isOpen ? [] : reopen(as: playback.state)
            case .empty, .loading, .playing, .paused, .buffering, .offline, .ended, .failed: return []
            }
        case .opened(let session):
            guard session == self.session, isOpen else { return [] }
            isReady = true
            return [.apply(playback.options)]
        case .refused(let failure, let session):
            guard session == self.session, isOpen else { return [] }
            return recover(from: failure)
        case .event(let event, let session):
            guard session == self.session, isOpen else { return [] }
            return handle(event)
        case .deadline(let deadline, let serial):
            guard serials[deadline] == serial else { return [] }
            serials[deadline] = nil
            return handle(deadline)
        }
    }

    // MARK: The user

    private mutating func handle(_ command: LivePlayerCommand) -> [Effect] {
        switch command {
        case .select(let address): return select(address)
        case .play: return play()
        case .pause:
            playback.options.isPaused = true
            switch playback.state {
            case .playing, .buffering:
                disarm(.stall)
                playback.state = .paused
                return applied() + [.report(.paused)]
            case .empty, .loading, .paused, .offline, .notLive, .ended, .failed: return applied()
            }
        case .retry:
            switch playback.state {
            case .offline, .notLive, .ended, .failed:
                playback.options.isPaused = false
                return restart()
            case .empty, .loading, .playing, .paused, .buffering: return []
            }
        case .seek(let target):
            switch playback.state {
            case .playing, .paused, .buffering:
                isBehindByChoice = target != .liveEdge
                resumption = nil
                return isReady ? [.seek(target)] : []
            case .empty, .loading, .offline, .notLive, .ended, .failed: return []
            }
        case .setAudio(let audio):
            playback.options.audio = audio
            return applied()
        case .setLoops(let loops):
            playback.options.loops = loops
            return applied()
        case .setSpeaker(let speaker): return move(to: speaker)
        }
    }

    private mutating func select(_ address: LiveAddress?) -> [Effect] {
        if let address, address == playback.address, isOpen { return [] }
        let effects = close()
        (resumption, reached) = (nil, nil)
        playback = LivePlayback(playback.options)
        playback.address = address
        guard address != nil else {
            disarm(.retry)
            return effects
        }
        playback.options.isPaused = false
        return effects + restart()
    }

    /// Reopens the stream on another loudspeaker, because the output of an open stream cannot be changed safely.
    private mutating func move(to speaker: String?) -> [Effect] {
        guard playback.options.speaker != speaker else { return [] }
        playback.options.speaker = speaker
        guard isOpen else { return [] }
        if playback.format?.isLive == false { resumption = resumption ?? reached }
        return restart()
    }

    private mutating func play() -> [Effect] {
        playback.options.isPaused = false
        switch playback.state {
        case .paused:
            playback.state = .playing
            let isGone =
                playback.format?.isLive == true && (playback.progress.duration ?? .zero) < Self.shortWindow
            return applied() + (isGone ? [.seek(.liveEdge)] : []) + reportPlaying()
        case .offline, .notLive, .ended, .failed: return restart()
        case .empty, .loading, .playing, .buffering: return applied()
        }
    }

    private func applied() -> [Effect] { isReady ? [.apply(playback.options)] : [] }

    // MARK: The stream

    private mutating func handle(_ event: LiveStreamEvent) -> [Effect] {
        switch event {
        case .started(let format):
            guard serials[.start] != nil else { return [] }
            disarm(.start)
            polls = 0
            playback.format = format
            playback.state = playback.options.isPaused ? .paused : .playing
            // A pause is applied only now, because the first frame is to be shown in any case.
            return (playback.state == .paused ? applied() : []) + beginning(of: format)
                + [arm(.steady, Self.steadySpan)] + reportPlaying()
        case .changed(let format):
            playback.format = format
            return playback.state == .playing ? reportPlaying() : []
        case .stalled:
            guard playback.state == .playing else { return [] }
            playback.state = .buffering
            return [arm(.stall, Self.stallLimit), .report(.buffering)]
        case .resumed:
            guard playback.state == .buffering else { return [] }
            disarm(.stall)
            playback.state = .playing
            return reportPlaying()
        case .progress(let progress):
            playback.progress = progress
            note(progress.position)
            return skipAhead()
        case .looped: return [.report(.looped)]
        case .ended:
            let effects = close()
            (resumption, reached) = (nil, nil)
            playback.state = .ended
            return effects + [.report(.ended)]
        case .failed(let failure): return recover(from: failure)
        }
    }

    /// Seeks to the position at which playback starts, unless that is the current one.
    private func beginning(of format: LiveFormat) -> [Effect] {
        guard !format.isLive else { return playback.state == .playing ? [.seek(.liveEdge)] : [] }
        return resumption.map { [.seek(.position($0))] } ?? []
    }

    /// Records the position of a stream that is not live; positions before the one to continue from are ignored.
    private mutating func note(_ position: Duration) {
        guard playback.format?.isLive == false, resumption.map({ position >= $0 }) ?? true else { return }
        (reached, resumption) = (position, nil)
    }

    /// Skips to the live edge if the distance to it is too large.
    private mutating func skipAhead() -> [Effect] {
        guard let behind = playback.progress.behind, let segment = playback.progress.segment,
            behind > segment * Self.farBehind
        else {
            skipWait = 0
            return []
        }
        guard playback.state == .playing, !isBehindByChoice else { return [] }
        skipWait -= 1
        guard skipWait < 0 else { return [] }
        skipWait = Self.skipReports
        return [.seek(.liveEdge), .report(.skippedAhead(behind))]
    }

    private func reportPlaying() -> [Effect] {
        guard let format = playback.format, playback.state == .playing else { return [] }
        return [.report(.playing(format, latency: playback.progress.latency))]
    }

    // MARK: Losses

    private mutating func handle(_ deadline: Deadline) -> [Effect] {
        switch deadline {
        case .start:
            return recover(
                from: LiveFailure(.timedOut, "no frame has arrived within \(DurationText(Self.startLimit))")
            )
        case .stall:
            return recover(
                from: LiveFailure(.timedOut, "nothing has arrived for \(DurationText(Self.stallLimit))")
            )
        case .retry:
            switch playback.state {
            case .offline(let failure, _): return reopen(as: .offline(failure, retryIn: nil))
            case .notLive: return reopen(as: playback.state)
            case .empty, .loading, .playing, .paused, .buffering, .ended, .failed: return []
            }
        case .steady:
            (failures, damages) = (0, 0)
            return []
        }
    }

    private mutating func recover(from failure: LiveFailure) -> [Effect] {
        let effects = close()
        if playback.format?.isLive == false { resumption = resumption ?? reached }
        let isHopeless: Bool =
            switch playback.address {
            case .file: true
            case .url, nil: failure.reason == .damaged && damages >= Self.damageRetries
            }
        switch failure.remedy {
        case .retry where !isHopeless:
            let wait = Self.waits[min(failures, Self.waits.count - 1)]
            failures += 1
            if failure.reason == .damaged { damages += 1 }
            playback.state = .offline(failure, retryIn: wait)
            return effects + [arm(.retry, wait), .report(.offline(failure, retryIn: wait))]
        case .poll:
            let isNews = playback.state != .notLive(failure)
            playback.state = .notLive(failure)
            let report: [Effect] = isNews ? [.report(.notLive(failure))] : []
            let isQuick = playback.format != nil && polls < Self.quickPolls
            polls += 1
            return effects + [arm(.retry, isQuick ? Self.quickPollInterval : Self.pollInterval)] + report
        case .retry, .none:
            playback.state = .failed(failure)
            return effects + [.report(.failed(failure))]
        }
    }

    /// Reopens the stream at the user's request.
    private mutating func restart() -> [Effect] {
        guard let address = playback.address else { return [] }
        (failures, damages, polls) = (0, 0, 0)
        return close() + reopen(as: .loading) + [.report(.loading(address))]
    }

    private mutating func reopen(as state: LiveState) -> [Effect] {
        guard let address = playback.address else { return [] }
        disarm(.retry)
        session += 1
        (isOpen, isReady, isBehindByChoice, skipWait) = (true, false, false, 0)
        playback.state = state
        return [.open(address, playback.options, session: session), arm(.start, Self.startLimit)]
    }

    private mutating func close() -> [Effect] {
        for deadline in [Deadline.start, .stall, .steady] { disarm(deadline) }
        defer { (isOpen, isReady) = (false, false) }
        return isOpen ? [.close] : []
    }

    private mutating func arm(_ deadline: Deadline, _ span: Duration) -> Effect {
        lastSerial += 1
        serials[deadline] = lastSerial
        return .startDeadline(deadline, span, serial: lastSerial)
    }

    private mutating func disarm(_ deadline: Deadline) { serials[deadline] = nil }
}
