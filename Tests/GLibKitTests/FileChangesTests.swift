import Foundation
import GLibKit
import Testing

@Suite("Changes of a file", .timeLimit(.minutes(1)))
struct FileChangesTests {
    @Test("Creation, replacement and removal of a file are reported")
    func changes() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "changes-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "secrets.json")
        for text in ["one", "two"] {
            // A watch of its own for each, because one change may be reported several times.
            let changes = await FileChanges.of(file.path)
            try Data(text.utf8).write(to: file, options: .atomic)
            #expect(await changes.next() != nil)
        }
        let changes = await FileChanges.of(file.path)
        try FileManager.default.removeItem(at: file)
        #expect(await changes.next() != nil)
    }

    @Test("Cancelling the task ends the watch")
    func cancellation() async {
        let changes = await FileChanges.of("/nowhere/at/all")
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes {} }
            group.cancelAll()
        }
    }
}
