import AppFlow
import ChatCore
import Foundation
import Testing
import UserStore

@testable import callrunner

@Suite("The files of the app's chat", .timeLimit(.minutes(4)))
struct AppChatFilesTests {
    /// A server whose only file has these bytes.
    private struct Server: ChatService {
        let bytes: Data
        var failure: ChatError?

        func people(as own: Int) async throws(ChatError) -> [ChatPerson] { [] }
        func connect(_ own: Int, with peer: Int?) -> any ChatConnection { fatalError("not used") }
        func upload(_ path: String, as own: Int) async throws(ChatError) -> ChatMedia { throw .notSupported }
        func download(_ media: ChatMedia, as own: Int, to path: String) async throws(ChatError) {
            if let failure { throw failure }
            guard FileManager.default.createFile(atPath: path, contents: bytes) else {
                throw .refused(code: "file", message: path)
            }
        }
    }

    private static let media = ChatMedia(id: "f", url: "/api/media/f", type: "text/plain", bytes: 6)

    /// Calls `body` with a home folder in which there is a folder for downloads.
    private func withHome(_ body: (String) async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "chat-files-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: "\(home)/Downloads",
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: home) }
        try await body(home)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("Saving a file replaces no existing file, and never writes outside the downloads folder")
    func save() async throws {
        try await withHome { (home) async throws in
            let server = Server(bytes: Data("a note".utf8))
            let files = AppChatFiles(server, own: 101, voices: nil, environment: ["HOME": home])
            let folder = "\(home)/Downloads"
            try Data("mine".utf8).write(to: URL(filePath: "\(folder)/note.txt"))
            #expect(try await files.save(Self.media, as: "note.txt") == "\(folder)/note (2).txt")
            #expect(try await files.save(Self.media, as: "../../note.txt") == "\(folder)/note (3).txt")
            #expect(try names(folder) == ["note (2).txt", "note (3).txt", "note.txt"])
            #expect(try String(contentsOfFile: "\(folder)/note.txt", encoding: .utf8) == "mine")
        }
    }

    @Test("A file that cannot be fetched leaves no partial file")
    func notSaved() async throws {
        try await withHome { (home) async throws in
            let server = Server(bytes: Data(), failure: .status(404))
            let files = AppChatFiles(server, own: 101, voices: nil, environment: ["HOME": home])
            await #expect(throws: ChatError.status(404)) { try await files.save(Self.media, as: "a") }
            await #expect(throws: ChatError.status(404)) { try await files.picture(Self.media) }
            #expect(try names("\(home)/Downloads") == [])
            #expect(try names("\(home)/.cache/callrunner/chat") == [])
        }
    }

    @Test("Old partial files of a killed process are removed, and all other files remain")
    func cleaning() async throws {
        try await withHome { (home) async throws in
            let files = AppChatFiles(
                Server(bytes: Data()),
                own: 101,
                voices: nil,
                environment: ["HOME": home]
            )
            let cache = "\(home)/.cache/callrunner/chat"
            try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
            let old = Date(timeIntervalSinceNow: -7200)
            let paths = ["Downloads/.callrunner-1", "Downloads/.callrunner-2", "Downloads/.callrunner-notes"]
            for path in paths.map({ "\(home)/\($0)" }) + ["\(cache)/3.picture", "\(home)/Downloads/a.pdf"] {
                try Data("a".utf8).write(to: URL(filePath: path))
                guard !path.hasSuffix("-2") else { continue }
                try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
            }
            await files.clean()
            #expect(try names("\(home)/Downloads") == [".callrunner-2", ".callrunner-notes", "a.pdf"])
            #expect(try names(cache) == [])
        }
    }

    @Test("A fetched sound is stored in a private folder, and only files in it are deleted on request")
    func sounds() async throws {
        try await withHome { (home) async throws in
            let server = Server(bytes: Data("OggS".utf8))
            let files = AppChatFiles(server, own: 101, voices: nil, environment: ["HOME": home])
            let path = try await files.fetch(Self.media)
            #expect(path.hasPrefix("\(home)/.cache/callrunner/chat/") && path.hasSuffix(".sound"))
            let folder = try FileManager.default.attributesOfItem(atPath: "\(home)/.cache/callrunner/chat")
            #expect(folder[.posixPermissions] as? Int == 0o700)
            let other = "\(home)/Downloads/a.ogg"
            try Data("a".utf8).write(to: URL(filePath: other))
            await files.forget(other)
            await files.forget(path)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(FileManager.default.fileExists(atPath: other))
        }
    }

    @Test("Voice messages are stored in private files, and those of earlier processes are found")
    func voices() async throws {
        try await withHome { (home) async throws in
            let voices = PrivateFolder("\(home)/.config/callrunner/chat/voice")
            let files = AppChatFiles(
                Server(bytes: Data()),
                own: 101,
                voices: voices,
                environment: ["HOME": home]
            )
            var paths: [String] = []
            for id in ["new", "old-1", "empty"] {
                let path = try await files.newVoice(id, for: 7)
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                paths.append(path)
            }
            for path in paths[..<2] + ["\(voices.path)/notes.txt", "\(voices.path)/x-a.ogg"] {
                try Data("a".utf8).write(to: URL(filePath: path))
            }
            for name in voices.names where !name.contains("new") {
                let old = Date(timeIntervalSinceNow: -7200)
                try FileManager.default.setAttributes(
                    [.modificationDate: old],
                    ofItemAtPath: voices.path(name)
                )
            }
            let left = await files.leftVoices()
            #expect(left.map(\.id) == ["old-1"] && left.map(\.path) == [paths[1]])
            #expect(left.allSatisfy { $0.peer == 7 && $0.isVoice && $0.isNotSent })
            await files.forget(paths[1])
            #expect(await files.leftVoices().isEmpty)
        }
    }

    @Test("If no folder is available, neither voice messages nor sounds can be stored")
    func noFolder() async throws {
        let files = AppChatFiles(Server(bytes: Data()), own: 101, voices: nil, environment: [:])
        await #expect(throws: ChatError.self) { try await files.newVoice("v", for: 7) }
        await #expect(throws: ChatError.self) { try await files.fetch(Self.media) }
    }

    @Test("Data that is not a picture is refused and not cached")
    func damaged() async throws {
        try await withHome { (home) async throws in
            let server = Server(bytes: Data("no picture".utf8))
            let files = AppChatFiles(server, own: 101, voices: nil, environment: ["HOME": home])
            await #expect(
                throws: ChatError.refused(code: "picture", message: "the picture cannot be decoded")
            ) {
                try await files.picture(Self.media)
            }
            #expect(try names("\(home)/.cache/callrunner/chat") == [])
        }
    }
}
