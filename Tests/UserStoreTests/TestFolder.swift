import Foundation
import UserStore

/// Runs `body` with a folder that does not exist yet, and removes it afterwards.
func withFolder(_ body: (PrivateFolder) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID())").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(PrivateFolder(path))
}
