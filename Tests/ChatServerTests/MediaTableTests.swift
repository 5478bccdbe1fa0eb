import ChatCore
import Testing

@testable import ChatServer

@Suite("The files of the chat")
struct MediaTableTests {
    private let store: ChatStore

    init() throws { store = try ChatStore() }

    private func add(_ id: String, bytes: Int = 10_000, owner: Int = 20) throws {
        let media = ChatMedia(id: id, url: ChatMedia.path(id), type: "image/png", bytes: bytes)
        try store.write { try $0.add(media, owner: owner) }
    }

    private func send(_ media: String, _ id: String, from: Int, to: Int) throws -> ChatOutcome {
        var draft = ChatDraft(id: id, from: from, to: to, text: "")
        draft.media = media
        return try store.perform(.message(draft))
    }

    private func readers(_ id: String) throws -> [Int] {
        try store.write { tables in try [20, 30, 31].filter { try tables.mayRead(id, person: $0) } }
    }

    @Test("A file can be read by its owner and by the people to whom it was sent")
    func rights() throws {
        try add("f")
        #expect(try readers("f") == [20] && readers("g") == [])
        #expect(try send("f", "m", from: 20, to: 30).isNewMessage == true)
        #expect(try readers("f") == [20, 30])
    }

    @Test("A person can send only their own files")
    func foreignFile() throws {
        try add("f")
        #expect(try send("f", "m", from: 31, to: 30).refusal == "no_media")
        #expect(try send("g", "m", from: 20, to: 30).refusal == "no_media")
    }

    @Test("A file is deleted together with the last message that contains it")
    func deletion() throws {
        try add("f")
        _ = try send("f", "m", from: 20, to: 30)
        _ = try send("f", "n", from: 20, to: 31)
        #expect(try store.perform(.delete(id: "m", person: 20, peer: 30)) == .deleted(file: nil))
        #expect(try readers("f") == [20, 31])
        #expect(try store.perform(.delete(id: "n", person: 20, peer: 31)) == .deleted(file: "f"))
        #expect(try readers("f") == [] && store.write { try $0.mediaIDs() } == [])
    }

    private func trim(
        to limit: Int = .max,
        ofOwner ownLimit: Int = .max,
        count: Int = .max,
        of owner: Int = 20,
        atOnce: Int = .max,
        newest: String = "none",
        after hours: Int64 = 2
    ) throws -> [String] {
        let quota = MediaQuota(
            bytes: limit,
            bytesOfPerson: ownLimit,
            filesOfPerson: count,
            removedAtOnce: atOnce
        )
        return try store.write { tables in
            let later = ChatTables(tables.database, now: tables.now + hours * 3_600_000_000)
            return try later.trimMedia(quota, of: owner, newest: newest)
        }
    }

    @Test("Above the limit, unsent files are removed first, and then the oldest sent ones")
    func trimming() throws {
        for number in 0..<5 { try add("f\(number)") }
        for number in 0..<3 { _ = try send("f\(number)", "m\(number)", from: 20, to: 30) }
        #expect(try trim(to: 50_000) == [])
        #expect(try trim(to: 30_000, newest: "f4") == ["f3", "f0"])
        #expect(try store.write { try $0.mediaIDs() } == ["f1", "f2", "f4"])
        // The message stays, without its file.
        #expect(try store.write { try $0.message("m0") }?.media == nil)
        #expect(try readers("f0") == [])
    }

    @Test("Above the file limit, one percent of a person's files is removed, to leave room for the next ones")
    func spare() throws {
        for number in 0..<201 { try add("f\(number)") }
        #expect(try trim(count: 200, newest: "f200").count == 2)
        #expect(try trim(count: 200, newest: "f200") == [])
    }

    @Test("A recent file that is not yet sent is removed after the sent ones")
    func unsent() throws {
        for number in 0..<3 { try add("f\(number)") }
        _ = try send("f0", "m0", from: 20, to: 30)
        #expect(try trim(to: 10_000, newest: "f2", after: 0) == ["f0", "f1"])
    }

    @Test("Above the total limit, the people with the most data lose files")
    func largest() throws {
        for number in 0..<2 { try add("small\(number)", owner: 30) }
        for owner in [40, 41, 42] {
            for number in 0..<4 {
                try add("o\(owner)-\(number)", owner: owner)
                _ = try send("o\(owner)-\(number)", "m\(owner)-\(number)", from: owner, to: 50)
            }
        }
        let removed = try trim(to: 80_000, newest: "o42-3")
        #expect(Set(removed) == ["o40-0", "o41-0", "o42-0", "o40-1", "o41-1", "o42-1"])
        #expect(try trim(to: 0, newest: "o42-3").count == 7)
        #expect(try store.write { try $0.mediaIDs() } == ["o42-3"])
    }

    @Test("A newly uploaded file is never removed, and the total limit still holds")
    func newestOnly() throws {
        for owner in (100..<120).reversed() {
            try add("f\(owner)", owner: owner)
            _ = try trim(to: 50_000, of: owner, newest: "f\(owner)")
        }
        #expect(try store.write { try $0.mediaIDs() }.count == 5)
        #expect(try store.write { try $0.mediaIDs() }.contains("f100"))
    }

    @Test("Above the limit per person, only that person's oldest files are removed")
    func quota() throws {
        try add("other", owner: 30)
        for number in 0..<5 { try add("f\(number)") }
        #expect(try trim(ofOwner: 30_000, newest: "f4") == ["f0", "f1"])
        #expect(try store.write { try $0.mediaIDs() } == ["other", "f2", "f3", "f4"])
    }

    @Test("A one-byte file counts as a disk block of 4096 bytes toward the quota")
    func tinyFiles() throws {
        for number in 0..<5 { try add("f\(number)", bytes: 1) }
        try add("other", bytes: 1, owner: 30)
        #expect(try trim(ofOwner: 3 * 4096, newest: "f4") == ["f0", "f1"])
        #expect(try trim(to: 3 * 4096, newest: "f4") == ["f2"])
    }

    @Test("The number of files per person is limited, regardless of their sizes")
    func fileCount() throws {
        try add("other", owner: 30)
        for number in 0..<5 { try add("f\(number)", bytes: 1) }
        #expect(try trim(count: 3, newest: "f4") == ["f0", "f1"])
    }

    @Test("The number of files removed at once is limited")
    func steps() throws {
        for number in 0..<5 { try add("f\(number)") }
        #expect(try trim(to: 15_000, ofOwner: 35_000, atOnce: 3, newest: "f4") == ["f0", "f1", "f2"])
        #expect(try trim(to: 15_000, ofOwner: 35_000, atOnce: 3, newest: "f4") == ["f3"])
    }

    @Test(
        "The type of a file is determined by its first bytes",
        arguments: [
            ("89504E470D0A1A0A00", "image/png"), ("FFD8FFE0", "image/jpeg"), ("474946383961", "image/gif"),
            ("52494646000000005745425056", "image/webp"), ("52494646000000005741564566", "audio/wav"),
            ("4F67675300", "audio/ogg"), ("0000002066747970 6D703432", "video/mp4"),
            ("00000010 66747970 69736F35 00000000 0000000C 6D6F6F76 736F756E", "audio/mp4"),
            ("00000010 66747970 69736F35 00000000 0000000D 6D6F6F76 736F756E", "video/mp4"),
            ("00000010 66747970 69736F35 00000000 00000010 6D6F6F76 736F756E 76696465", "video/mp4"),
            ("1A45DFA3", "video/webm"), ("1A45DFA3 86 86 415F4F505553", "audio/webm"),
            ("1A45DFA3 86 85 565F565038 86 86 415F4F505553", "video/webm"), ("FFFB90", "audio/mpeg"),
            ("255044462D", "application/pdf"),
            ("3C737667", "application/octet-stream"), ("3C68746D6C3E", "application/octet-stream"),
            ("", "application/octet-stream"), ("FF", "application/octet-stream"),
        ]
    )
    func types(hex: String, type: String) {
        let digits = Array(hex.filter { $0 != " " })
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        #expect(MediaType(bytes).name == type)
    }
}
