internal import Basics
internal import ChatCore
internal import Glibc
internal import ServerStore

/// The writer of all data that the chat stores about a person: conversations, files, blocks and reports.
///
/// One page of messages or one part of a file is in memory at a time. What is sent or deleted meanwhile may be missing.
struct ChatExport {
    /// The maximum number of messages, or of files, that are read in one transaction.
    private static let page = 200
    /// The number of bytes of a file that are read at a time; its Base64 needs no padding.
    private static let partLength = 49_152

    let database: ServerDatabase
    let shelf: MediaShelf

    /// Writes one JSON object in parts.
    ///
    /// - Throws: `ServerStoreFailure`, or an error of `write`.
    @concurrent func write(about person: Int, _ write: @concurrent ([UInt8]) async throws -> Void)
        async throws
    {
        let choices = try await database.read { try ChatTables($0, now: 0).choices(of: person) }
        try await write(Self.opening(choices, list: "conversations"))
        var files = Set(try await database.read { try ChatTables($0, now: 0).files(of: person) })
        var (peer, separator) = (0, "")
        while let next = try await database.read({ [peer] in
            try ChatTables($0, now: 0).conversation(of: person, after: peer)
        }) {
            try await write(Array(separator.utf8) + Self.opening(next.json, list: "messages"))
            files.formUnion(try await writeMessages(of: ChatPair(person, next.peer), write))
            try await write(Array("]}".utf8))
            (peer, separator) = (next.peer, ",")
        }
        try await write(Array("],\"files\":[".utf8))
        try await writeFiles(files.sorted(), write)
        try await write(Array("]}".utf8))
    }

    /// Writes the messages of a conversation, and returns the IDs of their files.
    @concurrent private func writeMessages(
        of pair: ChatPair,
        _ write: @concurrent ([UInt8]) async throws -> Void
    ) async throws -> Set<String> {
        var files: Set<String> = []
        var (number, separator) = (Int64(0), "")
        while true {
            let (messages, last) = try await database.read { [number] in
                try ChatTables($0, now: 0).messages(of: pair, after: number, limit: Self.page)
            }
            guard !messages.isEmpty else { return files }
            files.formUnion(messages.compactMap(\.media?.id))
            let text = messages.map { $0.json.serialized() }.joined(separator: ",")
            try await write(Array("\(separator)\(text)".utf8))
            (number, separator) = (last, ",")
        }
    }

    @concurrent private func writeFiles(
        _ files: [String],
        _ write: @concurrent ([UInt8]) async throws -> Void
    ) async throws {
        var separator = ""
        for start in stride(from: 0, to: files.count, by: Self.page) {
            let page = files[start..<min(start + Self.page, files.count)]
            let stored = try await database.read { database in
                let tables = ChatTables(database, now: 0)
                return try page.compactMap { try tables.media($0)?.media }
            }
            for file in stored {
                try await write(Array(separator.utf8))
                try await self.write(file, write)
                separator = ","
            }
        }
    }

    /// Writes a file as its description with its content in Base64; `null` if the file was removed meanwhile.
    @concurrent private func write(
        _ file: ChatMedia,
        _ write: @concurrent ([UInt8]) async throws -> Void
    ) async throws {
        let path = shelf.path(file.id)
        let (descriptor, error) = try await FileThreads.run {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            return (descriptor, descriptor < 0 ? errno : 0)
        }
        var description = file.json.objectValue ?? JSONObject()
        guard descriptor >= 0 else {
            guard error == ENOENT else {
                throw ServerStoreFailure.unusable(path, String(cString: strerror(error)))
            }
            description["base_64"] = .null
            return try await write(Array(JSON.object(description).serialized().utf8))
        }
        defer { close(descriptor) }
        try await write(
            Array(JSON.object(description).serialized().utf8.dropLast()) + Array(",\"base_64\":\"".utf8)
        )
        var offset = 0
        while true {
            let part = try await FileThreads.run { [offset] in Self.read(descriptor, at: offset) }
            guard let part else { throw ServerStoreFailure.unusable(path, "it cannot be read") }
            guard !part.isEmpty else { break }
            try await write(Array(Base64.encode(part).utf8))
            offset += part.count
        }
        try await write(Array("\"}".utf8))
    }

    /// Reads the next part of a file; empty at its end, nil if it cannot be read.
    private static func read(_ descriptor: Int32, at offset: Int) -> [UInt8]? {
        var isReadable = true
        let part = [UInt8](unsafeUninitializedCapacity: partLength) { buffer, count in
            // A shorter part would need padding within the Base64.
            while count < partLength {
                let length = pread(
                    descriptor,
                    buffer.baseAddress.map { $0 + count },
                    partLength - count,
                    off_t(offset + count)
                )
                guard length > 0 else {
                    isReadable = length == 0
                    return
                }
                count += length
            }
        }
        return isReadable ? part : nil
    }

    /// The beginning of a JSON object that continues with the items of a list.
    private static func opening(_ members: JSONObject, list: String) -> [UInt8] {
        Array(JSON.object(members).serialized().utf8.dropLast()) + Array(",\"\(list)\":[".utf8)
    }
}
