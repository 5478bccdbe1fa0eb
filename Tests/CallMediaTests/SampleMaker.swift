import GStreamerKit

@testable import CallMedia
@testable import MediaKit

/// Creates encoded samples like those of calls, as fast as possible.
enum SampleMaker {
    /// Creates video of 30 frames per second with a keyframe each second, starting at `start` seconds.
    @MediaActor
    static func videoSamples(
        _ codec: Codec,
        width: Int,
        height: Int,
        frames: Int,
        from start: Double = 0,
        preset: String = "ultrafast"
    ) async throws -> [MediaSample] {
        let encoder =
            codec == .h264
            ? "x264enc tune=zerolatency speed-preset=\(preset) key-int-max=30 "
                + "! video/x-h264,profile=\(preset == "ultrafast" ? "constrained-baseline" : "main") ! h264parse config-interval=-1 "
                + "! video/x-h264,stream-format=byte-stream,alignment=au"
            : codec == .vp9
                ? "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=30 ! vp9parse ! video/x-vp9,alignment=super-frame"
                : "vp8enc deadline=1 cpu-used=8 keyframe-max-dist=30"
        return try await make(
            "videotestsrc num-buffers=\(frames) ! video/x-raw,width=\(width),height=\(height),framerate=30/1 "
                + "! \(encoder) ! appsink name=out sync=false",
            from: start
        )
    }

    /// Creates Opus packets of 20 ms, starting at `start` seconds.
    @MediaActor
    static func audioSamples(packets: Int, from start: Double = 0) async throws -> [MediaSample] {
        try await make(
            "audiotestsrc num-buffers=\(packets) samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=2 "
                + "! opusenc ! appsink name=out sync=false",
            from: start
        )
    }

    @MediaActor
    private static func make(_ description: String, from start: Double) async throws -> [MediaSample] {
        let pipeline = try Pipeline(parsing: description, name: "maker")
        let (samples, sample) = AsyncStream.makeStream(of: MediaSample?.self)
        guard let sink = pipeline.element(named: "out") else { return [] }
        _ = AppSink(sink).hub.attach { sample.yield($0) }
        try pipeline.setState(.playing)
        for await message in pipeline.messages where message == .endOfStream { break }
        sample.finish()
        let offset = UInt64(start * 1e9)
        var all: [MediaSample] = []
        for await sample in samples {
            guard let sample, let time = sample.presentationTime else { continue }
            all.append(sample.shifted(to: time + offset, decodeTime: nil))
        }
        return all
    }
}
