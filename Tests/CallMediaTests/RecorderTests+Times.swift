import Basics
import CallCore
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles.RecorderTests {
    @Test(
        "A frame without a timestamp is recorded after the previous frame, and does not shift other frames",
        arguments: [("a.mkv", Codec.h264), ("a.mp4", .h264), ("a.webm", .vp8)]
    )
    func sharedTime(_ name: String, _ codec: Codec) async throws {
        var videoSamples = try await SampleMaker.videoSamples(codec, width: 160, height: 120, frames: 90)
        for index in [1, 30, 40, 41, 42, 89] {
            videoSamples[index] = videoSamples[index].shifted(to: .max, decodeTime: nil)
            #expect(videoSamples[index].presentationTime == nil)
        }
        let outcome = try await record(name, expecting: [.video], codec: codec) { _ in
            for frame in videoSamples { video.publish(frame) }
        }
        #expect(outcome.failures == [])
        let times = try await ProbedFile.times(of: "v", in: folder.path(name))
        #expect(times.count == 90)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        for (found, frame) in zip(times, videoSamples) {
            guard let time = frame.presentationTime else { continue }
            #expect(abs(found - Double(time) / 1e9) < 0.002)
        }
    }
}
