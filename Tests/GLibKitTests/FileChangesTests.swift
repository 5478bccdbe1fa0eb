import Foundation
import GLibKit
import Testing

@Suite("Changes of a file", .timeLimit(.minutes(4)))
struct FileChangesTests {
    @Test("Creation, replacement and removal of a file are reported until the task is cancelled")
    func changes() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "changes-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "secrets.json")
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        for step in 0..<3 {
            // A watch of its own for each, because one change may be reported several times.
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await FileChanges.follow(file.path, onStart: { start.yield() }) { change.yield() }
                }
                for await _ in starts { break }
                if step < 2 {
                    try Data("\(step)".utf8).write(to: file, options: .atomic)
                } else {
                    try FileManager.default.removeItem(at: file)
                }
                for await _ in changes { break }
                group.cancelAll()
            }
        }
    }
}
