import Basics
import CallCore
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles.RecorderTests {
    @Test(
        "New H.264 parameter set IDs at each keyframe do not start another file",
        arguments: ["a.mp4", "a.mkv"]
    )
    func renumbered(_ name: String) async throws {
        let straight = try await SampleMaker.videoSamples(.h264, width: 320, height: 240, frames: 120)
        var number = 0
        let renumbered = straight.compactMap { frame in
            if frame.isKeyframe { number += 1 }
            return RenumberedH264(number: number)(frame)
        }
        #expect(number == 4)
        var sums: [[String]] = []
        for (name, videoSamples) in [("plain.mkv", straight), (name, renumbered)] {
            let outcome = try await record(name, expecting: [.video]) { _ in
                for frame in videoSamples { video.publish(frame) }
            }
            #expect(outcome.failures == [])
            #expect(outcome.saved.map(\.path) == [folder.path(name)])
            sums.append(try await decode(folder.path(name)))
        }
        #expect(sums[1].count == 120)
        let isSame = sums[0] == sums[1]
        #expect(isSame, "other pictures are decoded than those that were sent")
    }

    /// Returns a checksum for each frame, and the decoder's messages.
    private func decode(_ path: String) async throws -> [String] {
        let command = "ffmpeg -v warning -nostdin -i '\(path)' -map 0:v -f framemd5 - 2>&1"
        let output = try await Tool.run("sh", ["-c", command])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { String($0.split(separator: ",").last ?? "") }
    }
}
