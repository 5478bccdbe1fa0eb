internal import Basics
internal import GStreamerKit
internal import Synchronization

/// The loop of a film.
///
/// A round is a segment, whose end is reported before it has been played, so that the next one follows without a
/// gap. If the demuxer does not know segments, the film is rewound at its end; if a server sends it, it is loaded
/// again. The loop of a playbin, which prepares the same URI as its next item, is not used: closing GStreamer 1.22
/// then waits for ever now and then.
@LiveActor
final class FilmLoop {
    /// The way in which a film went on.
    enum Progress {
        case continued, begunAgain, ended
    }

    /// The shortest duration of a round that is a segment, in nanoseconds; shorter ones would be queued by hundreds.
    private static let shortestRound: UInt64 = 500_000_000
    /// The longest duration of whole rounds that may wait to be played, in nanoseconds; queues hold less.
    private nonisolated static let longestQueue: UInt64 = 60_000_000_000
    /// The decrease of the position by which a new round is recognized, in nanoseconds.
    private static let jump: UInt64 = 100_000_000

    /// The demuxer, as streaming threads know it.
    final class Demuxer: Sendable {
        fileprivate let makesSegments = Atomic(false)
        private let begins: Bool

        fileprivate init(begins: Bool) { self.begins = begins }

        /// Determines whether what follows the seek with this number is played, and not only loaded before `begin()`.
        func isPlayed(after seek: UInt32) -> Bool {
            seek != 0 || !begins || !makesSegments.load(ordering: .relaxed)
        }
    }

    /// The demuxers that make segments.
    ///
    /// Others flush the pipeline before they refuse, or count on without end.
    private static let demuxers = ["qtdemux", "matroskademux", "oggdemux", "avidemux", "wavparse"]

    private(set) var isOn: Bool
    /// Whether the pipeline must be paused until `begin()`.
    private(set) var mustBegin: Bool
    private let pipeline: Pipeline
    private let isFilm: Bool
    private let isLocal: Bool
    nonisolated let demuxer: Demuxer
    private var latestSeek: UInt32?
    /// The number of the seek whose segment was given up.
    private var voidSeek: UInt32?
    /// The number of rounds whose end was read and not yet played.
    private var waiting = 0
    private var isEnding = false
    /// Whether the next round is read when the film plays again.
    private var isHeldBack = false
    /// Whether the film was rewound and has no frame since; the message of its end may be there twice.
    private var isRewinding = false
    private var position: UInt64 = 0

    /// Creates the loop of a pipeline that has not started; `isFilm` is false for a stream without an end, and
    /// `isLocal` is false for one that a server sends.
    init(_ pipeline: Pipeline, isFilm: Bool, isLocal: Bool, isOn: Bool) {
        (self.pipeline, self.isFilm, self.isLocal) = (pipeline, isFilm, isLocal)
        self.isOn = isOn && isFilm
        mustBegin = self.isOn && isLocal
        let demuxer = Demuxer(begins: mustBegin)
        self.demuxer = demuxer
        guard isLocal else { return }
        for factory in Self.demuxers {
            pipeline.onElementAdded(from: factory) { _ in
                demuxer.makesSegments.store(true, ordering: .relaxed)
            }
        }
    }

    /// Makes the first round a segment; to be called whenever the pipeline has its first frame after a seek.
    func begin() {
        isRewinding = false
        guard mustBegin else { return }
        mustBegin = false
        let seeks = demuxer.makesSegments.load(ordering: .relaxed)
        if seeks, !seek(to: 0) { demuxer.makesSegments.store(false, ordering: .relaxed) }
    }

    /// Switches the loop of a film on or off.
    func set(isOn: Bool) {
        guard isFilm, self.isOn != isOn else { return }
        self.isOn = isOn
        if isHeldBack { (isHeldBack, isEnding) = (false, true) }
        if isOn {
            // `resume()` follows if the film plays.
            (isHeldBack, isEnding) = (isEnding, false)
        } else if waiting > 0, let position = pipeline.position {
            // The next round was read already.
            _ = seek(to: position, exactly: true)
        }
    }

    private var makesSegments: Bool {
        demuxer.makesSegments.load(ordering: .relaxed) && (pipeline.duration ?? 0) >= Self.shortestRound
    }

    /// Seeks to `position` nanoseconds; returns false if the stream cannot seek.
    func seek(to position: UInt64, exactly: Bool = false) -> Bool {
        (waiting, isEnding, isHeldBack, self.position) = (0, false, false, position)
        (voidSeek, latestSeek) = (latestSeek, nil)
        let loops = isOn && makesSegments
        let number = pipeline.seek(to: position, flushing: true, exactly: exactly, loops: loops)
        if loops { latestSeek = number }
        return number != nil
    }

    /// Begins the film again at its end; returns nil if it has just begun again, and false if it cannot.
    func rewind() -> Bool? {
        guard !isRewinding else { return nil }
        isRewinding = true
        guard !isLocal else { return seek(to: 0) }
        // Some servers cannot begin in the middle of a file, which shows too late.
        position = 0
        do {
            try pipeline.setState(.ready)
            try pipeline.setState(.playing)
        } catch { return false }
        return true
    }

    /// Begins the next round, if there is one, when the segment that seek `number` requested has been read.
    ///
    /// While the film does not play, its queues may be full, and the demuxer then cannot take a seek: it would wait,
    /// and with it all that could make the film play.
    ///
    /// Returns false if the film can neither continue nor end by itself.
    func endSegment(_ number: UInt32, isPlaying: Bool) -> Bool {
        guard number != voidSeek, latestSeek != nil else { return true }
        isEnding = !isOn
        isHeldBack = isOn && !isPlaying
        return isEnding || isHeldBack || playAgain()
    }

    /// Begins the round that was held back; to be called when the film plays again.
    func resume() {
        guard isHeldBack else { return }
        isHeldBack = false
        _ = playAgain()
    }

    /// Whether so many whole rounds of a duration in nanoseconds, which the film decides, may wait to be played.
    nonisolated static func fits(rounds: Int, of duration: UInt64) -> Bool {
        let (queue, isBeyond) = UInt64(max(0, rounds)).multipliedReportingOverflow(by: duration)
        return !isBeyond && queue < longestQueue
    }

    private func playAgain() -> Bool {
        waiting += 1
        if Self.fits(rounds: waiting - 1, of: pipeline.duration ?? 0) {
            latestSeek = pipeline.seek(to: 0, flushing: false)
            if latestSeek != nil { return true }
        }
        // The film is shorter than its header says, or cannot be continued.
        demuxer.makesSegments.store(false, ordering: .relaxed)
        return seek(to: 0)
    }

    /// Records the position in nanoseconds, and determines how the film went on since the latest call.
    func move(to position: UInt64, isPlaying: Bool) -> Progress {
        let before = self.position
        self.position = position
        if isEnding, isPlaying, position == before || position >= pipeline.duration ?? 0 { return .ended }
        guard waiting > 0, position + Self.jump < before else { return .continued }
        waiting -= 1
        return .begunAgain
    }
}
