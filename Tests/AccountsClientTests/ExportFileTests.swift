import Foundation
import Testing

@testable import AccountsClient

@Suite("A file with exported data")
struct ExportFileTests {
    @Test(
        "An export is complete only if its last member says so",
        arguments: [
            (#"{"name":"Ann","complete":true}"#, true), (#"{"name":"Ann","chat":{"files":[]}"#, false),
            (#"{"name":"Ann","complete":true"#, false), (#"{"a":[{"message":"\"complete\":true}"#, false),
            (#"}"#, false), ("", false),
        ]
    )
    func complete(text: String, isComplete: Bool) throws {
        let path = FileManager.default.temporaryDirectory.path + "/export-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(!ExportFile.isComplete(path))
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(ExportFile.isComplete(path) == isComplete)
    }
}
