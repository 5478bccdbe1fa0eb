import FoundationEssentials
import Testing

@testable import GLibKit

@Suite("Renaming a file")
struct FileMoveTests {
    /// The ways of renaming, of which all but the first are used where the file system lacks the first.
    enum Way: CaseIterable, Sendable {
        case atOnce, link, reserve

        func move(_ path: String, to new: String) throws {
            switch self {
            case .atOnce: try FileMove.move(path, to: new)
            case .link: try FileMove.link(path, as: new)
            case .reserve: try FileMove.reserve(new, for: path)
            }
        }
    }

    private func with(_ names: [String], _ body: (String) throws -> Void) throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "move-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in names { try Data(name.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
        try body(folder)
        return try [String: String](
            uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder).map { name in
                (name, try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
            }
        )
    }

    @Test("A move gives a file its new name", arguments: Way.allCases)
    func move(way: Way) throws {
        let files = try with(["a"]) { try way.move("\($0)/a", to: "\($0)/b") }
        #expect(files == ["b": "a"])
    }

    @Test("A move never replaces another file", arguments: Way.allCases)
    func taken(way: Way) throws {
        let files = try with(["a", "b"]) { folder in
            #expect(throws: FileMove.Failure.taken) { try way.move("\(folder)/a", to: "\(folder)/b") }
        }
        #expect(files == ["a": "a", "b": "b"])
    }

    @Test("Moving a missing file fails and creates no file", arguments: Way.allCases)
    func missing(way: Way) throws {
        let files = try with([]) { folder in
            #expect(throws: FileMove.Failure.other("No such file or directory")) {
                try way.move("\(folder)/a", to: "\(folder)/b")
            }
        }
        #expect(files.isEmpty)
    }
}
