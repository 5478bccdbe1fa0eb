import Basics
import CallCore
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Pipeline templates")
struct PipelineLibraryTests {
    private static let values = [
        "kbps": "1500", "bps": "96000", "width": "1280", "height": "720", "framerate": "30",
        "caps": "audio/mpeg", "format": "video/x-raw", "size": ",width=640,height=360",
        "track": "remote-video", "muxer": "mux.", "parser": "identity", "encoder": "jpegenc",
        "microphone": "pulsesrc", "speaker": "pulsesink", "probe": "probe",
        "echo": "true", "noise": "false", "gain": "true", "duration": "1000000000",
    ]

    private static func library(_ text: String) throws -> (PipelineLibrary, TemporaryFolder) {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("sources"),
            withIntermediateDirectories: true
        )
        try text.write(toFile: folder.path("sources/file.pipeline"), atomically: true, encoding: .utf8)
        return (PipelineLibrary(directory: folder.path), folder)
    }

    @Test("gst_parse_launch accepts every template in pipelines/", arguments: Project.library.names)
    func everyDescription(_ name: String) throws {
        let description = try Project.library.description(name, Self.values)
        // Some templates refer to an element of another template, which is created here.
        let context =
            switch name.split(separator: "/").first {
            case "streams": "fakesrc ! parsebin name=parsed\n"
            case "recorders" where !description.contains("name=mux"): "matroskamux name=mux ! fakesink\n"
            case "live" where description.contains("packager."):
                "splitmuxsink name=packager muxer=mpegtsmux\n"
            default: ""
            }
        if name.hasPrefix("payloaders/") || name.hasPrefix("depayloaders/") {
            _ = try Bin.parsing(description)
        } else {
            // Hardware elements are registered only on machines with such hardware.
            do { _ = try Pipeline(parsing: context + description, name: "parsed") } catch {
                guard case .missingElement = error, name.hasPrefix("encoders/hardware/") else { throw error }
            }
        }
    }

    @Test("Every template that the code uses exists")
    func complete() {
        var wanted: Set<String> = [
            "sources/file", "sources/camera", "sources/pattern", "sources/screen", "sources/http",
            "sources/rtsp", "sources/microphone", "sources/silence", "voice/processing", "streams/audio",
            "streams/video",
            "viewers/audio", "viewers/ring", "viewers/video", "viewers/preview", "viewers/snapshot",
            "viewers/samples", "viewers/preview-image",
            "recorders/h264-mkv", "recorders/stream",
            "live/packager", "live/h264", "live/video", "live/audio", "live/video-sink", "live/audio-sink",
            "recorders/h264-mp4", "encoders/h264-single", "payloaders/h264-single",
        ]
        for codec in Codec.allCases {
            for folder in ["encoders", "payloaders", "depayloaders"] {
                wanted.insert("\(folder)/\(codec.pipelineName)")
            }
            if codec != .h264 { wanted.insert("recorders/\(codec.pipelineName)") }
        }
        for codec in [Codec.h264, .vp8, .vp9, .opus] { wanted.insert("streams/\(codec.pipelineName)") }
        for container in Container.allCases { wanted.insert("recorders/\(container)") }
        #expect(wanted.subtracting(Project.library.names).isEmpty)
    }

    @Test("Comments are removed, placeholders are filled in, and GStreamer's braces remain")
    func filled() throws {
        let (library, folder) = try Self.library(
            "# a comment\n  # another {one}\nfakesrc format={ I420, NV12 } x={wide}\n"
        )
        let text = try library.description("sources/file", ["wide": "7"])
        #expect(text.trimmingCharacters(in: .whitespacesAndNewlines) == "fakesrc format={ I420, NV12 } x=7")
        withExtendedLifetime(folder) {}
    }

    @Test("A placeholder without a value is rejected with its name")
    func unknownPlaceholder() throws {
        let (library, folder) = try Self.library("fakesrc x={speed}")
        #expect {
            try library.description("sources/file")
        } throws: { error in
            guard case MediaFailure.pipeline("sources/file", let message) = error else { return false }
            return message.contains("{speed}")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("A missing template is rejected", arguments: ["sources/none", "../secret", ""])
    func missing(_ name: String) {
        #expect(throws: MediaFailure.self) { try Project.library.description(name) }
    }

    @Test("The first folder that contains templates is used")
    func search() throws {
        let (_, folder) = try Self.library("fakesrc")
        let found = PipelineLibrary.find(among: ["/nowhere", folder.path, Project.root.path])
        #expect(found?.names == ["sources/file"])
        #expect(PipelineLibrary.find(among: ["/nowhere"]) == nil)
    }
}
