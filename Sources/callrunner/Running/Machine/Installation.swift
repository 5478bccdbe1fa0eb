internal import CallMedia
internal import FoundationEssentials
internal import Glibc
internal import MediaKit

/// The locations of the program's own files, in the checkout or in `<prefix>/share/callrunner`.
struct Installation {
    let library: PipelineLibrary
    let assets: String
    let environment: [String: String]

    var testVideo: String { "\(assets)/webRtcTestVideo.mp4" }

    /// Locates the files.
    ///
    /// - Parameters:
    ///   - pipelines: The folder of the pipeline templates, if the user gave one.
    ///   - environment: The environment of the process; `CALLRUNNER_ASSETS` may name the folder of the test
    ///     video.
    /// - Throws: `Failure` if no pipeline templates are found.
    init(pipelines: String?, environment: [String: String]) throws(Failure) {
        let roots = Self.roots
        let candidates = pipelines.map { [$0] } ?? roots.map { "\($0)/pipelines" }
        guard let library = PipelineLibrary.find(among: candidates) else {
            throw Failure(
                code: "installation",
                message: "no pipeline templates in \(candidates.joined(separator: ", "))",
                hint: "reinstall callrunner, or give --pipelines DIR",
                exit: 3
            )
        }
        (self.library, self.environment) = (library, environment)
        let named = environment["CALLRUNNER_ASSETS"].flatMap { $0.isEmpty ? nil : [$0] }
        let folders = named ?? roots.map { "\($0)/assets" }
        assets =
            folders.first { FileManager.default.fileExists(atPath: "\($0)/webRtcTestVideo.mp4") }
            ?? folders.last ?? "assets"
    }

    /// Locates the folder of the web page; nil if it is not installed.
    static func webFolder(_ environment: [String: String]) -> String? {
        let folders = environment["CALLRUNNER_ASSETS"].map { [$0] } ?? roots.map { "\($0)/assets" }
        return folders.map { "\($0)/web" }.first {
            FileManager.default.fileExists(atPath: "\($0)/index.html")
        }
    }

    /// Locates the folder with the translations of the window's texts.
    static func stringsFolder(_ environment: [String: String]) -> String {
        let folders = environment["CALLRUNNER_ASSETS"].map { [$0] } ?? roots.map { "\($0)/assets" }
        let candidates = folders.map { "\($0)/strings" }
        return candidates.first { FileManager.default.fileExists(atPath: "\($0)/en.json") }
            ?? candidates.last ?? "assets/strings"
    }

    /// The folders that may contain `pipelines/` and `assets/`, nearest to the executable first.
    private static var roots: [String] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let executable = String(
            decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        var folders: [String] = []
        var path = executable[...]
        while let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            path = path[..<slash]
            // A built executable is below the root of the checkout; an installed one is in bin/, beside
            // share/.
            folders.append("\(path)/share/callrunner")
            folders.append(String(path))
        }
        return folders + ["."]
    }
}
