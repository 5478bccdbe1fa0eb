internal import FoundationEssentials
internal import NIOCore
internal import NIOPosix

/// The files of the web page, read once and stored in memory.
///
/// A request's path is only looked up among these files, and never used as a path on disk. No request can
/// therefore read files outside of the folder, even through links.
package struct PageFiles: Sendable {
    /// An error for a folder whose files are too many, too large or too deeply nested to be served as web pages.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    static let maximumFiles = 512
    static let maximumBytes = 32 << 20
    private static let maximumDepth = 8

    /// The files by path, such as `/index.html`.
    private var files: [String: PageFile] = [:]
    private var bytes = 0

    /// Reads the regular files in a folder and its subfolders, except links and hidden files.
    ///
    /// - Returns: The files, or nil if there is no `index.html`.
    /// - Throws: `PageFiles.Problem`.
    package static func read(from folder: String) async throws -> PageFiles? {
        try await NIOThreadPool.singleton.runIfActive {
            var page = PageFiles()
            try page.add(folder, as: "", depth: 0)
            return page.files["/index.html"] == nil ? nil : page
        }
    }

    var count: Int { files.count }

    /// Writes the names of the server's services into the page, so that the page need not request missing ones.
    ///
    /// A browser would log an error for each of these requests.
    package mutating func tell(services: [String]) {
        let path = "/index.html"
        guard let index = files[path]?.body else { return }
        let text = String(buffer: index).replacing(
            "data-services=\"\"",
            with: "data-services=\"\(services.joined(separator: " "))\"",
            maxReplacements: 1
        )
        files[path] = PageFile(name: "index.html", bytes: Array(text.utf8))
    }

    /// Finds the file for a request's path; for a path that ends with `/`, the `index.html` in that folder.
    func file(at path: String) -> PageFile? {
        files[path.hasSuffix("/") ? path + "index.html" : path]
    }

    private mutating func add(_ folder: String, as prefix: String, depth: Int) throws(Problem) {
        guard depth < Self.maximumDepth else { throw Problem(description: "\(folder) is nested too deeply") }
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            // For a link, these are the attributes of the link itself, not of its target.
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            switch attributes?[.type] as? FileAttributeType {
            case .typeDirectory?: try add(path, as: "\(prefix)/\(name)", depth: depth + 1)
            case .typeRegular?:
                guard let contents = FileManager.default.contents(atPath: path) else { continue }
                bytes += contents.count
                files["\(prefix)/\(name)"] = PageFile(name: name, bytes: Array(contents))
            default: continue
            }
            guard files.count <= Self.maximumFiles, bytes <= Self.maximumBytes else {
                throw Problem(
                    description:
                        "\(folder) is too large for the web page: more than \(Self.maximumFiles) files, or than "
                        + "\(Self.maximumBytes >> 20) MiB"
                )
            }
        }
    }
}
