/// The frames of the current segment, and the MP4 files that they continue.
struct MovieRecorder {
    /// The time in milliseconds before the first segment of a file, because the first audio may be earlier.
    private static let lead: Int64 = 100
    /// The difference in milliseconds between the calculated and the actual time of audio that is no gap.
    private static let tolerance: Int64 = 50
    /// The number of samples of audio in a frame.
    private static let samplesPerFrame: UInt32 = 1024

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
    private var videoFrames: [VideoFrame] = []
    private var audioFrames: [ArraySlice<UInt8>] = []
    private var firstAudioTime: Int64 = 0
    /// The time at which the next audio is expected, in samples since `origin`; nil if there was none.
    private var audioEnd: Int64?

    /// Begins a segment; a discontinuous one, or one with other tracks, begins another file.
    mutating func begin(
        at time: Int64,
        _ video: H264Configuration?,
        _ audio: AACConfiguration?,
        isDiscontinuous: Bool
    ) {
        (videoFrames, audioFrames) = ([], [])
        guard isDiscontinuous || header.isEmpty || video != self.video || audio != self.audio else { return }
        (self.video, self.audio) = (video, audio)
        header = MovieHeader.bytes(video, audio)
        origin = time - Self.lead
        (number, audioEnd) = (0, nil)
    }

    mutating func add(video bytes: ArraySlice<UInt8>, at time: Int64, offset: Int, isKeyframe: Bool) {
        videoFrames.append(VideoFrame(bytes: bytes, time: time, offset: offset, isKeyframe: isKeyframe))
    }

    mutating func add(audio bytes: ArraySlice<UInt8>, at time: Int64) {
        if audioFrames.isEmpty { firstAudioTime = time }
        audioFrames.append(bytes)
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

    private mutating func audioRun() -> MovieFragment.Run? {
        guard let audio, !audioFrames.isEmpty else { return nil }
        let rate = Int64(audio.rate)
        let actual = max(0, firstAudioTime - origin) * rate / 1000
        // Times in milliseconds are rounded, and players hear the gaps.
        let isGap = audioEnd.map { abs($0 - actual) > Self.tolerance * rate / 1000 } ?? true
        let start = isGap ? max(actual, audioEnd ?? 0) : audioEnd ?? actual
        audioEnd = start + Int64(audioFrames.count) * Int64(Self.samplesPerFrame)
        let samples = audioFrames.map {
            MovieFragment.Sample(bytes: $0, duration: Self.samplesPerFrame)
        }
        return MovieFragment.Run(start: UInt64(start), samples: samples)
    }
}
