import ChatCore
import Foundation
import GLibKit
import Synchronization
import Testing
import UserStore

@testable import ChatClient

@Suite("Stored conversations of a client", .timeLimit(.minutes(4)))
struct ChatArchiveTests {
    private static let origin = "http://127.0.0.1:3000"

    private func withFolder(_ body: (PrivateFolder) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "chat-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(PrivateFolder(path))
    }

    private func archive(_ folder: PrivateFolder, origin: String = origin, own: Int = 101) -> ChatArchive {
        ChatArchive(origin, own: own, folder: folder) { Issue.record("\($0)") }
    }

    private func message(_ number: Int) -> ChatMessage {
        var message = ChatMessage(
            from: "Ann",
            to: "101",
            text: "message \(number)",
            time: ChatTime(microseconds: Int64(number))
        )
        (message.id, message.fromID, message.toID) = ("m-\(number)", 2, 101)
        return message
    }

    private func outgoing(_ id: String) -> OutgoingMessage {
        OutgoingMessage(id: id, text: "text of \(id)", time: ChatTime(microseconds: 0))
    }

    /// The files of all conversations.
    private func files(_ folder: PrivateFolder) -> [String] {
        let found = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return found.filter { $0.hasSuffix(".json") }.map { folder.path($0) }
    }

    @Test("A file that is too large to be read is not replaced")
    func tooLarge() async throws {
        try await withFolder { folder in
            await archive(folder).keep([outgoing("precious")], with: 2)
            let path = try #require(files(folder).first)
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.truncate(atOffset: 65 << 20)
            try handle.close()
            let warnings = Mutex<[String]>([])
            let second = ChatArchive(Self.origin, own: 101, folder: folder) { text in
                warnings.withLock { $0.append(text) }
            }
            #expect(await second.conversation(with: 2) == KeptConversation())
            await second.keep([message(1)], mode: .extended, with: 2)
            #expect(warnings.withLock { $0.count } == 2)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == 65 << 20)
        }
    }

    @Test("After a restart, files still being sent are restored, and files already sent are not")
    func files() async throws {
        try await withFolder { folder in
            let media = ChatMedia(id: "f", url: "/api/media/f", type: "image/png", bytes: 3)
            var (first, second) = (ChatPreferences(), ChatPreferences())
            first.files = [
                OutgoingFile(id: "a", path: "/x/a.png", peer: 2),
                OutgoingFile(id: "b", path: "/x/b", peer: 3),
            ]
            second.files = [OutgoingFile(id: "a", path: "/x/a.png", peer: 2, media: media)]
            second.files[0].isNotSent = true
            await archive(folder).keep(first, replacing: ChatPreferences())
            #expect(await archive(folder).preferences() == first)
            await archive(folder).keep(second, replacing: first)
            #expect(await archive(folder).preferences() == second)
        }
    }

    @Test("A stored conversation is restored unchanged, even by another process")
    func roundTrip() async throws {
        try await withFolder { folder in
            let first = archive(folder)
            var failed = outgoing("b")
            failed.failure = .notConnected
            await first.keep([message(1), message(2)], mode: .extended, with: 2)
            await first.keep([outgoing("a"), failed], with: 2)
            let kept = await archive(folder).conversation(with: 2)
            #expect(kept.messages == [message(1), message(2)] && kept.mode == .extended)
            #expect(kept.outbox == [outgoing("a"), failed])
            await first.keep([message(1)], mode: .plain, with: 2)
            let plain = await archive(folder).conversation(with: 2)
            #expect(plain.mode == .plain && plain.outbox.count == 2)
        }
    }

    @Test("Each user, conversation partner and server has its own file, which only the user can read")
    func separation() async throws {
        try await withFolder { folder in
            await archive(folder).keep([message(1)], mode: nil, with: 2)
            await archive(folder).keep([message(2)], mode: nil, with: 3)
            await archive(folder, own: 102).keep([message(3)], mode: nil, with: 2)
            await archive(folder, origin: "http://example.org:80").keep([message(4)], mode: nil, with: 2)
            #expect(files(folder).count == 4)
            for file in files(folder) {
                #expect(FileStatus(path: file)?.permissions == 0o600)
                let parent = String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)])
                #expect(FileStatus(path: parent)?.permissions == 0o700)
            }
            let kept = await archive(folder).conversation(with: 2)
            #expect(kept.messages == [message(1)])
        }
    }

    @Test("Drafts and muted people are stored per user, separately from unsent messages")
    func preferences() async throws {
        try await withFolder { folder in
            let first = archive(folder)
            await first.keep([outgoing("a")], with: 2)
            var new = ChatPreferences()
            (new.drafts, new.muted) = ([2: "not yet\n“sent”", 3: "for Eve"], [3])
            await first.keep(new, replacing: ChatPreferences())
            let again = archive(folder)
            #expect(await again.preferences() == new)
            #expect(await again.conversation(with: 2).outbox == [outgoing("a")])
            #expect(await archive(folder, own: 102).preferences() == ChatPreferences())
            for file in files(folder) { #expect(FileStatus(path: file)?.permissions == 0o600) }
            // A damaged file costs the drafts, and no message.
            let file = try #require(files(folder).first { $0.hasSuffix("preferences.json") })
            for content in ["{", "[]", #"{"drafts":{"x":"y","2":7,"-3":"z"},"muted":[null,"4"]}"#] {
                try Data(content.utf8).write(to: URL(fileURLWithPath: file))
                #expect(await again.preferences() == ChatPreferences())
            }
            #expect(await again.conversation(with: 2).outbox == [outgoing("a")])
        }
    }

    @Test("Storing changed drafts does not change those of other processes")
    func preferencesOfOthers() async throws {
        try await withFolder { folder in
            let (first, second) = (archive(folder), archive(folder))
            var (one, two) = (ChatPreferences(), ChatPreferences())
            (one.drafts, one.muted) = ([2: "one"], [2])
            (two.drafts, two.muted) = ([3: "two"], [3])
            await first.keep(one, replacing: ChatPreferences())
            await second.keep(two, replacing: ChatPreferences())
            await first.keep(ChatPreferences(), replacing: one)
            #expect(await first.preferences() == two)
        }
    }

    @Test("The newest 200 messages are stored")
    func limit() async throws {
        try await withFolder { folder in
            await archive(folder).keep((0..<250).map(message), mode: .extended, with: 2)
            let kept = await archive(folder).conversation(with: 2)
            #expect(kept.messages.count == 200 && kept.messages.last == message(249))
        }
    }

    @Test(
        "A damaged file is read as an empty conversation and replaced; if it is no JSON, a copy is kept",
        arguments: [
            "", "{", "[]", "null", "{\"messages\":7,\"outbox\":{},\"mode\":[]}", "\u{0}\u{FFFD}",
            String(repeating: "[", count: 100_000),
        ]
    )
    func damaged(_ content: String) async throws {
        try await withFolder { folder in
            await archive(folder).keep([message(1)], mode: .extended, with: 2)
            let file = try #require(files(folder).first)
            try Data(content.utf8).write(to: URL(fileURLWithPath: file))
            let kept = await archive(folder).conversation(with: 2)
            #expect(kept == KeptConversation())
            let warnings = Mutex<[String]>([])
            let second = ChatArchive(Self.origin, own: 101, folder: folder) { text in
                warnings.withLock { $0.append(text) }
            }
            await second.keep([outgoing("a")], with: 2)
            let again = await archive(folder).conversation(with: 2)
            #expect(again.outbox == [outgoing("a")])
            let isJSON = ["[]", "null"].contains(content) || content.hasPrefix("{\"messages")
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(names.contains { $0.hasSuffix(".damaged") } == !isJSON)
            #expect(warnings.withLock { $0.count } == (isJSON ? 0 : 1))
        }
    }

    @Test("A damaged message is skipped, and the others are restored")
    func damagedMessage() async throws {
        try await withFolder { folder in
            await archive(folder).keep([message(1), message(2)], mode: .extended, with: 2)
            let file = try #require(files(folder).first)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try text.replacing("\"message\":\"message 1\"", with: "\"message\":1").write(
                toFile: file,
                atomically: false,
                encoding: .utf8
            )
            let kept = await archive(folder).conversation(with: 2)
            #expect(kept.messages == [message(2)])
        }
    }

    @Test("A file that cannot be read yields an empty conversation and a warning")
    func unreadable() async throws {
        try await withFolder { folder in
            await archive(folder).keep([message(1)], mode: .extended, with: 2)
            let file = try #require(files(folder).first)
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            let warnings = Mutex(0)
            let archive = ChatArchive(Self.origin, own: 101, folder: folder) { _ in
                warnings.withLock { $0 += 1 }
            }
            let kept = await archive.conversation(with: 2)
            await archive.keep([outgoing("a")], with: 2)
            #expect(kept == KeptConversation() && warnings.withLock(\.self) >= 2)
        }
    }

    @Test("Two processes preserve each other's outgoing messages")
    func twoProcesses() async throws {
        try await withFolder { folder in
            let (first, second) = (archive(folder), archive(folder))
            _ = await first.conversation(with: 2)
            _ = await second.conversation(with: 2)
            await first.keep([outgoing("a")], with: 2)
            await second.keep([outgoing("b")], with: 2)
            var kept = await archive(folder).conversation(with: 2)
            #expect(Set(kept.outbox.map(\.id)) == ["a", "b"])
            await first.keep([], with: 2)
            kept = await archive(folder).conversation(with: 2)
            #expect(kept.outbox.map(\.id) == ["b"])
        }
    }

    @Test("A guest gets one random ID, even if several processes request it at the same time")
    func guest() async throws {
        try await withFolder { folder in
            let ids = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { await GuestArchive(folder).id() } }
                return await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(ids.count == 1 && ids.allSatisfy { (100...999).contains($0) })
            try folder.folder("chat").write(Array("{\"id\":5}".utf8), to: "guest.json")
            let redrawn = await GuestArchive(folder).id()
            #expect((100...999).contains(redrawn))
        }
    }
}
