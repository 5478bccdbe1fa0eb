import Foundation

/// The streams of a file according to ffprobe, which decodes every frame.
struct ProbedFile: Decodable {
    struct Stream: Decodable {
        var codec_name: String
        var codec_type: String
        var width: Int?
        var height: Int?
        var start_time: String?
        var nb_read_frames: String?

        var frames: Int { nb_read_frames.flatMap { Int($0) } ?? 0 }
        var start: Double { start_time.flatMap { Double($0) } ?? .nan }
    }

    struct Format: Decodable { var duration: String? }

    var streams: [Stream]
    var format: Format

    /// The duration in seconds.
    var duration: Double { format.duration.flatMap { Double($0) } ?? 0 }
    var codecs: [String] { streams.map(\.codec_name) }
    var video: Stream? { streams.first { $0.codec_type == "video" } }
    var audio: Stream? { streams.first { $0.codec_type == "audio" } }

    static func read(_ path: String) async throws -> ProbedFile {
        let data = try await Tool.run(
            "ffprobe",
            ["-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json", path]
        )
        return try JSONDecoder().decode(ProbedFile.self, from: data)
    }

    /// Returns the presentation times of a stream's packets in seconds; `kind` is `v` or `a`.
    static func times(of kind: String, in path: String) async throws -> [Double] {
        let data = try await Tool.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                path,
            ]
        )
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
            .compactMap { Double($0.prefix { $0 != "," }) }
    }
}
