/// The frames of the current segment, and the MP4 files that they continue.
struct MovieRecorder {
    /// The time in milliseconds before the first segment of a file, because the first audio may be earlier.
    private static let lead: Int64 = 100
    /// The difference in milliseconds between the calculated and the actual time of audio that is no gap.
    private static let tolerance: Int64 = 50
    /// The number of samples of audio in a frame.
    private static let samplesPerFrame: UInt32 = 1024

    private struct AudioFrame {
        let bytes: ArraySlice<UInt8>
        let time: Int64
    }

    private struct VideoFrame {
        let bytes: ArraySlice<UInt8>
        let time: Int64
        let offset: Int
        let isKeyframe: Bool
    }

    private var video: H264Configuration?
    private var audio: AACConfiguration?
    private var header: [UInt8] = []
    /// The time in milliseconds that is zero in the current file.
    private var origin: Int64 = 0
    private var number: UInt32 = 0
    private var mustRestart = false
    private var videoFrames: [VideoFrame] = []
    private var audioFrames: [AudioFrame] = []
    /// The time at which the next audio is expected, in samples since `origin`; nil if there was none.
    private var audioEnd: Int64?

    /// Lets the next segment begin another file, because the current one lacks a segment.
    mutating func restart() { mustRestart = number > 0 }

    /// Begins a segment; a discontinuous one, or one with other tracks, begins another file.
    mutating func begin(
        at time: Int64,
        _ video: H264Configuration?,
        _ audio: AACConfiguration?,
        isDiscontinuous: Bool
    ) {
        (videoFrames, audioFrames) = ([], [])
        guard isDiscontinuous || mustRestart || header.isEmpty || video != self.video || audio != self.audio
        else { return }
        (self.video, self.audio) = (video, audio)
        header = MovieHeader.bytes(video, audio)
        origin = time - Self.lead
        (number, audioEnd, mustRestart) = (0, nil, false)
    }

    mutating func add(video bytes: ArraySlice<UInt8>, at time: Int64, offset: Int, isKeyframe: Bool) {
        videoFrames.append(VideoFrame(bytes: bytes, time: time, offset: offset, isKeyframe: isKeyframe))
    }

    mutating func add(audio bytes: ArraySlice<UInt8>, at time: Int64) {
        audioFrames.append(AudioFrame(bytes: bytes, time: time))
    }

    /// Completes a segment that ends at `end`.
    mutating func complete(at end: Int64) -> MovieFragment? {
        defer { (videoFrames, audioFrames) = ([], []) }
        guard !videoFrames.isEmpty || !audioFrames.isEmpty else { return nil }
        number += 1
        return MovieFragment(header: header, number: number, video: videoRun(until: end), audio: audioRun())
    }

    private func videoRun(until end: Int64) -> MovieFragment.Run? {
        guard let first = videoFrames.first else { return nil }
        let scale = Int64(MovieHeader.videoScale / 1000)
        let ends = videoFrames.dropFirst().map(\.time) + [end]
        let samples = zip(videoFrames, ends).map { frame, end in
            MovieFragment.Sample(
                bytes: frame.bytes,
                duration: UInt32(clamping: max(1, end - frame.time) * scale),
                offset: Int32(clamping: Int64(frame.offset) * scale),
                isKeyframe: frame.isKeyframe
            )
        }
        return MovieFragment.Run(start: UInt64(clamping: (first.time - origin) * scale), samples: samples)
    }

    /// Places the frames one after another, because times in milliseconds are rounded and players hear gaps; real gaps
    /// lengthen the frame before them, and frames that are too early are dropped.
    private mutating func audioRun() -> MovieFragment.Run? {
        guard let rate = audio.map({ Int64($0.rate) }) else { return nil }
        let tolerance = Self.tolerance * rate / 1000
        var (start, samples): (Int64?, [MovieFragment.Sample]) = (nil, [])
        for frame in audioFrames {
            let actual = (frame.time - origin) * rate / 1000
            guard actual >= (audioEnd.map { $0 - tolerance } ?? 0) else { continue }
            let isGap = audioEnd.map { actual > $0 + tolerance } ?? true
            let place = isGap ? actual : audioEnd ?? actual
            if let last = samples.indices.last, let audioEnd {
                samples[last].duration += UInt32(clamping: place - audioEnd)
            }
            start = start ?? place
            samples.append(MovieFragment.Sample(bytes: frame.bytes, duration: Self.samplesPerFrame))
            audioEnd = place + Int64(Self.samplesPerFrame)
        }
        return start.map { MovieFragment.Run(start: UInt64($0), samples: samples) }
    }
}
