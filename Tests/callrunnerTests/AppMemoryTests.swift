import AppFlow
import Basics
import CallCore
import Foundation
import Synchronization
import Testing

@testable import callrunner

@Suite("Stored data of the app", .timeLimit(.minutes(4)))
struct AppMemoryTests {
    private let home = FileManager.default.temporaryDirectory.appending(path: "memory-\(UUID().uuidString)")
        .path

    private var folder: String { "\(home)/config/callrunner" }

    /// Creates the app's storage.
    ///
    /// It uses files, because without a session bus there is no keyring.
    private func memory(_ complaints: Complaints = Complaints()) -> LiveAppMemory {
        LiveAppMemory(environment: ["HOME": home, "XDG_CONFIG_HOME": "\(home)/config"]) {
            complaints.add($0)
        }
    }

    private static func ann() throws -> RememberedIdentity {
        RememberedIdentity(
            identity: Identity(username: try Username("Анна \"x\""), room: try RoomID(4711)),
            role: .caller
        )
    }

    private func write(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    /// Returns the names and contents of all files in the home folder.
    private func traces() throws -> String {
        let names = try FileManager.default.subpathsOfDirectory(atPath: home)
        return try names.map { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(home)/\(name)", isDirectory: &isFolder)
            return isFolder.boolValue
                ? name : name + (try String(contentsOfFile: "\(home)/\(name)", encoding: .utf8))
        }.joined(separator: "\n")
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("Stored data is available after a restart, in files that only the user can read")
    func remembers() async throws {
        let first = memory()
        #expect(await first.identity() == nil)
        #expect(await first.settings() == AppSettings())
        #expect(await first.token() == nil)
        var settings = AppSettings()
        settings.server = "https://example.org:3000"
        (settings.theme, settings.language, settings.textScale) = (.dark, .ukrainian, 1.25)
        settings.answersAutomatically = true
        try await first.remember(Self.ann())
        try await first.remember(settings)
        try await first.remember(token: "hush")
        let next = memory()
        #expect(await next.identity() == (try Self.ann()))
        #expect(await next.settings() == settings)
        #expect(await next.token() == "hush")
        #expect(try mode(folder) == 0o700)
        for name in ["identity.json", "app.json", "secrets.json"] {
            #expect(try mode("\(folder)/\(name)") == 0o600)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
        try FileManager.default.removeItem(atPath: home)
    }

    @Test("Logging out deletes name, room, role and token, including from incomplete temporary files")
    func forgets() async throws {
        let memory = memory()
        var settings = AppSettings()
        settings.theme = .dark
        try await memory.remember(settings)
        try await memory.remember(Self.ann())
        try await memory.remember(token: "hush-hush")
        try write(#"{"username":"Анна","room":4711,"role":"caller"}"#, to: ".identity.json.123")
        try write(#"{"room-token":"hush"#, to: ".secrets.json.9")
        #expect(try traces().contains("4711") && traces().contains("hush"))
        try await memory.forgetIdentity()
        let left = try traces()
        for word in ["Анна", "4711", "caller", "hush", "identity", "secrets"] {
            #expect(!left.contains(word), "\(word)")
        }
        #expect(await memory.settings() == settings)
        #expect(await memory.identity() == nil)
        #expect(await memory.token() == nil)
        try await memory.forgetIdentity()
        try FileManager.default.removeItem(atPath: home)
    }

    @Test("Removing the token keeps the identity")
    func noToken() async throws {
        let memory = memory()
        try await memory.remember(Self.ann())
        try await memory.remember(token: "hush")
        try await memory.remember(token: nil)
        #expect(await memory.token() == nil)
        #expect(try !traces().contains("hush"))
        #expect(await memory.identity() != nil)
        try FileManager.default.removeItem(atPath: home)
    }

    @Test(
        "An invalid identity file is ignored with a warning, and can be replaced",
        arguments: [
            "", "{", "[]", "null", "\u{0}", #"{"username":"Ann","room":0,"role":"caller"}"#,
            #"{"username":"Ann","room":"7","role":"caller"}"#, #"{"username":" ","room":7,"role":"caller"}"#,
            #"{"username":"Ann","room":7,"role":"boss"}"#, #"{"username":"Ann","room":7}"#,
            #"{"username":"A\u0000n","room":7,"role":"callee"}"#,
            #"{"username":"Ann","room":1e300,"role":"caller"}"#,
            String(repeating: "[", count: 60_000), String(repeating: " ", count: 100_000),
        ]
    )
    func hostileIdentity(_ text: String) async throws {
        try write(text, to: "identity.json")
        let complaints = Complaints()
        let memory = memory(complaints)
        #expect(await memory.identity() == nil)
        #expect(complaints.all.count == 1 && complaints.all[0].contains("identity.json"))
        try await memory.remember(Self.ann())
        #expect(await memory.identity() == (try Self.ann()))
        try FileManager.default.removeItem(atPath: home)
    }

    @Test("In a file with valid and invalid settings, the valid ones apply and the others are reported")
    func hostileSettings() async throws {
        try write(
            """
            {"server":"not an address","theme":"dark","language":"xx","text-scale":99,"auto-answer":"yes","notifications":7}
            """,
            to: "app.json"
        )
        let complaints = Complaints()
        let settings = await memory(complaints).settings()
        var expected = AppSettings()
        expected.theme = .dark
        #expect(settings == expected)
        #expect(complaints.all.count == 5)
        try FileManager.default.removeItem(atPath: home)
    }

    @Test("A folder, a named pipe or a dangling link in place of a file does not block the app")
    func noFile() async throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/identity.json",
            withIntermediateDirectories: true
        )
        #expect(mkfifo("\(folder)/app.json", 0o600) == 0)
        #expect(symlink("/nowhere/x", "\(folder)/secrets.json") == 0)
        let complaints = Complaints()
        let memory = memory(complaints)
        #expect(await memory.identity() == nil)
        #expect(await memory.settings() == AppSettings())
        #expect(await memory.token() == nil)
        #expect(complaints.all.count == 2)
        await #expect(throws: StoreFailure.self) { try await memory.remember(Self.ann()) }
        await #expect(throws: StoreFailure.self) { try await memory.forgetIdentity() }
        try await memory.remember(token: "hush")
        #expect(await memory.token() == "hush")
        #expect(!FileManager.default.fileExists(atPath: "/nowhere"))
        let parts = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
        #expect(parts == [])
        try FileManager.default.removeItem(atPath: home)
    }

    @Test("Without a configuration folder each attempt to store the identity throws")
    func noFolder() async throws {
        for environment in [[:], ["HOME": "relative"], ["XDG_CONFIG_HOME": "/proc/nowhere"]] {
            let memory = LiveAppMemory(environment: environment) { _ in }
            #expect(await memory.identity() == nil)
            #expect(await memory.token() == nil)
            await #expect(throws: StoreFailure.self) { try await memory.remember(Self.ann()) }
            try await memory.forgetIdentity()
        }
    }
}

/// A collection of the reported warnings.
private final class Complaints: Sendable {
    private let content = Mutex<[String]>([])

    var all: [String] { content.withLock { $0 } }

    func add(_ sentence: String) { content.withLock { $0.append(sentence) } }
}
