package import Basics

/// A packager that divides H.264 and AAC, as encoders publish them, into segments at the keyframes.
///
/// It neither decodes nor encodes anything.
package struct SegmentPackager {
    /// A message of the encoder.
    package enum Sample {
        /// An `AVCDecoderConfigurationRecord` (ISO/IEC 14496-15).
        case videoConfiguration(ArraySlice<UInt8>)
        /// A frame of H.264 units after their lengths, with the difference between presentation and decoding in
        /// milliseconds.
        case video(isKeyframe: Bool, offset: Int, ArraySlice<UInt8>)
        /// An `AudioSpecificConfig` (ISO/IEC 14496-3).
        case audioConfiguration(ArraySlice<UInt8>)
        /// A frame of AAC without a header.
        case audio(ArraySlice<UInt8>)
    }

    /// A segment that is not complete.
    private struct Part {
        var bytes: [UInt8] = []
        /// The times of its first and of its newest frame in milliseconds.
        var start: Int64
        var end: Int64
        var date: Timestamp
        var isDiscontinuous: Bool
    }

    /// The maximum size of a segment in bytes.
    package static let maximumSize = 32 << 20
    /// The time in milliseconds for which a stream without a video configuration waits for one.
    private static let videoWait: Int64 = 1000
    /// The time in milliseconds by which a segment may be shorter than the target.
    private static let tolerance: Int64 = 50
    /// The number of audio frames that share the headers of a packet.
    private static let framesPerPacket = 5
    /// The difference in milliseconds between a segment's calculated and actual date that moves the calculated ones.
    private static let maximumDrift: Int64 = 500
    /// The offset of all times in milliseconds, so that none is negative.
    private static let offset: Int64 = 1000

    private let target: Int64
    private var clock = StreamClock()
    private var stream = TransportStream()
    private var video: H264Configuration?
    private var audio: AACConfiguration?
    private var part: Part?
    private var pendingAudio: (bytes: [UInt8], time: Int64, count: Int)?
    /// Whether the next segment does not continue the previous one.
    private var isInterrupted = false
    /// The tracks of the newest segment.
    private var tracks: [TransportStream.Track] = []
    private var lastVideoTime: Int64 = .min
    /// The date of time zero.
    private var origin: Timestamp?
    private var firstAudioTime: Int64?
    /// The frames of the segment for a recording; nil if the stream is not recorded.
    private var recorder: MovieRecorder?

    /// Creates a packager.
    ///
    /// - Parameters:
    ///   - duration: The duration of segments, if there are enough keyframes.
    ///   - isRecorded: Whether the segments are also parts of a recording.
    package init(duration: Duration, isRecorded: Bool = false) {
        target = Int64(duration / .milliseconds(1))
        recorder = isRecorded ? MovieRecorder() : nil
    }

    /// Adds a message that arrives now; returns the segment that it completes.
    ///
    /// The timestamp is the decoding time in milliseconds, which wraps.
    ///
    /// - Throws: `LiveFailure` for a damaged or unsupported stream, and if keyframes are too far apart.
    package mutating func add(
        _ sample: Sample,
        at timestamp: UInt32,
        now: Timestamp
    ) throws(LiveFailure) -> LiveSegment? {
        switch sample {
        case .videoConfiguration(let record):
            guard let new = H264Configuration(record) else {
                throw LiveFailure(.damaged, "the configuration of its video is invalid")
            }
            guard video != new else { return nil }
            defer { video = new }
            return interrupt()
        case .audioConfiguration(let bytes):
            guard let new = AACConfiguration(bytes) else {
                throw LiveFailure(.unsupported, "the configuration of its audio is not supported")
            }
            guard audio != new else { return nil }
            defer { audio = new }
            // A stream that begins to have audio continues until the next keyframe.
            return audio == nil ? nil : interrupt()
        case .video(let isKeyframe, let offset, let units):
            guard let video else { return nil }
            guard let bytes = video.byteStream(units, isKeyframe: isKeyframe) else {
                throw LiveFailure(.damaged, "a frame of its video is damaged")
            }
            // Some encoders send frames without content.
            guard !bytes.isEmpty else { return nil }
            let (time, isJump) = clock.time(timestamp, of: .video)
            let interrupted = isJump ? interrupt() : nil
            let frame = VideoFrame(units: units, bytes: bytes, isKeyframe: isKeyframe, offset: max(0, offset))
            let completed = try add(frame, at: time, now)
            return interrupted ?? completed
        case .audio(let frame):
            guard let audio, !frame.isEmpty else { return nil }
            let (time, isJump) = clock.time(timestamp, of: .audio)
            let interrupted = isJump ? interrupt() : nil
            let completed = try add(audio, frame, at: time, now)
            return interrupted ?? completed
        }
    }

    /// Lets the recording continue in another file from the next segment on, because one could not be stored.
    package mutating func restartRecording() { recorder?.restart() }

    /// Completes the last segment when the stream has ended; nil if there is none.
    package mutating func finish() -> LiveSegment? { complete(at: nil) }

    // MARK: Video

    private struct VideoFrame {
        /// The units after their lengths.
        let units: ArraySlice<UInt8>
        /// The units as a byte stream.
        let bytes: [UInt8]
        let isKeyframe: Bool
        let offset: Int
    }

    private mutating func add(
        _ frame: VideoFrame,
        at time: Int64,
        _ now: Timestamp
    ) throws(LiveFailure) -> LiveSegment? {
        var completed: LiveSegment?
        let isDue = part.map { time - $0.start >= target - Self.tolerance } ?? true
        if frame.isKeyframe, isDue || tracks != currentTracks {
            completed = complete(at: time)
            begin(at: time, now)
        }
        guard part != nil else { return completed }
        // Decoding times must increase.
        let decoding = max(time, lastVideoTime + 1)
        lastVideoTime = decoding
        recorder?.add(
            video: video?.withoutEmptyUnits(frame.units) ?? frame.units,
            at: decoding,
            offset: frame.offset,
            isKeyframe: frame.isKeyframe
        )
        try write(
            frame.bytes,
            .video,
            presentation: decoding + Int64(frame.offset),
            decoding: decoding,
            isKeyframe: frame.isKeyframe
        )
        return completed
    }

    // MARK: Audio

    private mutating func add(
        _ audio: AACConfiguration,
        _ frame: ArraySlice<UInt8>,
        at time: Int64,
        _ now: Timestamp
    ) throws(LiveFailure) -> LiveSegment? {
        var completed: LiveSegment?
        if video == nil {
            let first = firstAudioTime ?? time
            firstAudioTime = first
            guard time - first >= Self.videoWait || part != nil else { return nil }
            if part.map({ time - $0.start >= target }) ?? true {
                completed = complete(at: time)
                begin(at: time, now)
            }
        }
        // Before the first keyframe, and until the next one if a segment has no audio track, audio is dropped.
        guard part != nil, tracks.contains(.audio) else { return completed }
        var pending = pendingAudio ?? ([], time, 0)
        pendingAudio = nil
        guard audio.append(frame, to: &pending.bytes) else {
            throw LiveFailure(.damaged, "a frame of its audio is damaged")
        }
        pending.count += 1
        pendingAudio = pending
        recorder?.add(audio: frame, at: time)
        if pending.count >= Self.framesPerPacket { try writeAudio() }
        return completed
    }

    private mutating func writeAudio() throws(LiveFailure) {
        guard let pending = pendingAudio else { return }
        pendingAudio = nil
        try write(
            pending.bytes,
            .audio,
            presentation: pending.time,
            decoding: pending.time,
            isKeyframe: !tracks.contains(.video)
        )
    }

    // MARK: Segments

    private var currentTracks: [TransportStream.Track] {
        (video == nil ? [] : [.video]) + (audio == nil ? [] : [.audio])
    }

    private mutating func begin(at time: Int64, _ now: Timestamp) {
        var date = now
        if let expected = origin.map({ $0 + .milliseconds(time) }),
            abs(expected.milliseconds - now.milliseconds) <= Self.maximumDrift
        {
            date = expected
        } else {
            origin = Timestamp(milliseconds: now.milliseconds - time)
        }
        let isOther = !tracks.isEmpty && tracks != currentTracks
        tracks = currentTracks
        var started = Part(start: time, end: time, date: date, isDiscontinuous: isInterrupted || isOther)
        isInterrupted = false
        recorder?.begin(at: time, video, audio, isDiscontinuous: started.isDiscontinuous)
        stream.beginSegment(tracks, into: &started.bytes)
        part = started
    }

    /// Completes the current segment, and lets the next one begin at a keyframe and be discontinuous.
    private mutating func interrupt() -> LiveSegment? {
        let segment = complete(at: nil)
        isInterrupted = isInterrupted || segment != nil || !tracks.isEmpty
        firstAudioTime = nil
        return segment
    }

    /// Completes the current segment; the next one begins at `next`, or not immediately if that is nil.
    private mutating func complete(at next: Int64?) -> LiveSegment? {
        try? writeAudio()
        pendingAudio = nil
        guard let complete = part else { return nil }
        part = nil
        // Without a next frame, the duration of the last one is unknown and counts as short.
        let end = next ?? complete.end + Int64(audio?.frameDuration ?? 1)
        var segment = LiveSegment(
            complete.bytes,
            .milliseconds(max(1, end - complete.start)),
            date: complete.date,
            isDiscontinuous: complete.isDiscontinuous
        )
        segment.movie = recorder?.complete(at: end)
        return segment
    }

    private mutating func write(
        _ bytes: [UInt8],
        _ track: TransportStream.Track,
        presentation: Int64,
        decoding: Int64,
        isKeyframe: Bool
    ) throws(LiveFailure) {
        guard var current = part else { return }
        // A second reference would copy the segment.
        part = nil
        let isLead = track == .video || !tracks.contains(.video)
        stream.write(
            bytes,
            track,
            presentation: (presentation + Self.offset) * 90,
            decoding: (decoding + Self.offset) * 90,
            hasClock: isLead,
            isKeyframe: isKeyframe,
            into: &current.bytes
        )
        current.end = max(current.end, decoding)
        let (size, span) = (current.bytes.count, Duration.milliseconds(current.end - current.start))
        part = current
        guard size <= Self.maximumSize else {
            throw LiveFailure(.tooLarge, "a segment has more than \(Self.maximumSize) bytes")
        }
        guard span <= LiveWindow.longestSegment else {
            throw LiveFailure(
                .unsupported,
                "its keyframes are more than \(DurationText(LiveWindow.longestSegment)) apart; set the keyframe "
                    + "interval of the encoder to 1 or 2 s"
            )
        }
    }
}
