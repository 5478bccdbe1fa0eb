internal import Basics
internal import GStreamerKit
internal import Synchronization

/// Plays a film, which is a stream with an end, in a loop.
///
/// Each round is a segment (`GST_SEEK_FLAG_SEGMENT`), whose end is reported before it has been played, so that the next
/// round follows without a gap. If the demuxer does not support segment seeks, the film is rewound at its end; a film
/// from a server is loaded again instead. The loop of playbin itself, which prepares the same URI as its next item, is
/// not used, because closing the pipeline of GStreamer 1.22 then sometimes hangs.
@LiveActor
final class FilmLoop {
    /// The progress of a film since the previous call of `move(to:isPlaying:)`.
    enum Progress {
        case continued, begunAgain, ended
    }

    /// The minimum duration, in nanoseconds, of a round that is a segment; hundreds of shorter rounds would be queued.
    private static let shortestRound: UInt64 = 500_000_000
    /// The maximum total duration of queued rounds, in nanoseconds: more than the queues of the pipeline hold.
    private nonisolated static let longestQueue: UInt64 = 60_000_000_000
    /// The minimum decrease of the position that indicates a new round, in nanoseconds.
    private static let jump: UInt64 = 100_000_000

    /// The state of the demuxer that is available on streaming threads.
    final class Demuxer: Sendable {
        fileprivate let makesSegments = Atomic(false)
        private let begins: Bool

        fileprivate init(begins: Bool) { self.begins = begins }

        /// Returns whether the media after the seek with this number is played, rather than only loaded before
        /// `begin()`.
        func isPlayed(after seek: UInt32) -> Bool {
            seek != 0 || !begins || !makesSegments.load(ordering: .relaxed)
        }
    }

    /// The demuxers that support segment seeks.
    ///
    /// Other demuxers flush the pipeline before they refuse such a seek, or let the position grow without limit.
    private static let demuxers = ["qtdemux", "matroskademux", "oggdemux", "avidemux", "wavparse"]

    private(set) var isOn: Bool
    /// Whether the pipeline must be paused until `begin()`.
    private(set) var mustBegin: Bool
    private let pipeline: Pipeline
    private let isFilm: Bool
    private let isLocal: Bool
    nonisolated let demuxer: Demuxer
    private var latestSeek: UInt32?
    /// The sequence number of the seek that the latest one replaced; the end of its segment is ignored.
    private var voidSeek: UInt32?
    /// The number of rounds that have been read completely but not yet played completely.
    private var waiting = 0
    private var isEnding = false
    /// Whether the next round begins only when playback resumes.
    private var isHeldBack = false
    /// Whether the film has been rewound and no frame has followed; a second report of its end is then ignored.
    private var isRewinding = false
    private var position: UInt64 = 0

    /// Creates the loop of a pipeline that has not started; `isFilm` is false for a live stream, and `isLocal` is false
    /// for a film from a server.
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

    /// Starts the first round as a segment; must be called whenever the first frame after a seek is ready.
    func begin() {
        isRewinding = false
        guard mustBegin else { return }
        mustBegin = false
        let seeks = demuxer.makesSegments.load(ordering: .relaxed)
        if seeks, !seek(to: 0) { demuxer.makesSegments.store(false, ordering: .relaxed) }
    }

    /// Turns the loop on or off; has no effect on a live stream.
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

    /// Restarts the film at its end; returns nil if it is already restarting, and false if it cannot restart.
    func rewind() -> Bool? {
        guard !isRewinding else { return nil }
        isRewinding = true
        guard !isLocal else { return seek(to: 0) }
        // Some servers do not support range requests, which a seek would need; its failure is reported too late.
        position = 0
        do {
            try pipeline.setState(.ready)
            try pipeline.setState(.playing)
        } catch { return false }
        return true
    }

    /// Begins the next round, if there is one, when the segment requested by seek `number` has been read.
    ///
    /// While the film is paused, the round is held back: the queues may be full, and the demuxer would block in the
    /// seek together with everything that could resume playback.
    ///
    /// - Returns: False if the film can neither continue nor end by itself.
    func endSegment(_ number: UInt32, isPlaying: Bool) -> Bool {
        guard number != voidSeek, latestSeek != nil else { return true }
        isEnding = !isOn
        isHeldBack = isOn && !isPlaying
        return isEnding || isHeldBack || playAgain()
    }

    /// Begins the round that was held back, if any; must be called when playback resumes.
    func resume() {
        guard isHeldBack else { return }
        isHeldBack = false
        _ = playAgain()
    }

    /// Returns whether this number of complete rounds may be queued; `duration`, in nanoseconds, is taken from the film
    /// and may have any value.
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

    /// Records the position, in nanoseconds, and returns the progress since the previous call.
    func move(to position: UInt64, isPlaying: Bool) -> Progress {
        let before = self.position
        self.position = position
        if isEnding, isPlaying, position == before || position >= pipeline.duration ?? 0 { return .ended }
        guard waiting > 0, position + Self.jump < before else { return .continued }
        waiting -= 1
        return .begunAgain
    }
}
