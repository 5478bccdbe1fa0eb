internal import Basics
internal import ChatCore
internal import Foundation
internal import Glibc
internal import HTTPFront
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServerStore
internal import _NIOFileSystem

/// The storage of the files that people send.
struct MediaShelf: Sendable {
    /// The number of bytes at the beginning of a file from which its type and its size in pixels are determined.
    private static let headLength = 65_536
    /// The number of uploaded bytes between two checks of the free disk space.
    private static let checkInterval: Int64 = 1_000_000
    /// The time in seconds for which a file without a database entry is kept: 30 days.
    private static let longestUnknown = 30 * 24 * 3600
    /// The suffix of the names of files without a database entry; their modification time is the time at which they
    /// were first found.
    private static let unknownSuffix = ".unknown"

    private let folder: String
    private let database: ServerDatabase
    private let quota: MediaQuota
    private let logger: Logger

    init(_ folder: String, _ database: ServerDatabase, _ quota: MediaQuota = .ofServer, logger: Logger) {
        (self.folder, self.database, self.quota, self.logger) = (folder, database, quota, logger)
    }

    func path(_ id: String) -> String { "\(folder)/\(id)" }

    /// Removes incomplete uploads of an earlier server process, and files that have long been without a database entry.
    ///
    /// A file without an entry is renamed when it is first found, and kept for `longestUnknown` from then on, because it
    /// may belong to a database that was moved away for repair. Once there is an entry, it gets its name back.
    ///
    /// - Throws: `ServerStoreFailure`.
    func removeLeftovers() async throws {
        let known = try await database.read { try ChatTables($0, now: 0).mediaIDs() }
        var (removed, unknown, found): ([String], [String], [String]) = ([], [], [])
        do {
            try await FileSystem.shared.withDirectoryHandle(atPath: FilePath(folder)) { directory in
                for try await entry in directory.listContents() where entry.type == .regular {
                    let name = entry.name.string
                    // Files with other names do not belong to the chat.
                    if name.hasPrefix("."), name.hasSuffix(".part") {
                        removed.append(name)
                    } else if UUID(uuidString: name) != nil {
                        if !known.contains(name) { unknown.append(name) }
                    } else if name.hasSuffix(Self.unknownSuffix) {
                        let id = String(name.dropLast(Self.unknownSuffix.count))
                        guard UUID(uuidString: id) != nil,
                            let info = try await FileSystem.shared.info(forFileAt: entry.path)
                        else { continue }
                        let age = WallClock.seconds - Int(info.lastDataModificationTime.seconds)
                        if known.contains(id) {
                            found.append(id)
                        } else if age > Self.longestUnknown {
                            removed.append(name)
                        }
                    }
                }
            }
        } catch let error as FileSystemError {
            guard error.code != .notFound else { return }
            throw ServerStoreFailure.unusable(folder, "\(error.message)")
        }
        await FileThreads.remove(removed.map(path))
        try await setAside(unknown, andRestore: found)
        if !removed.isEmpty {
            logger.notice("chat: removed \(removed.count) files that were incomplete or not in the database")
        }
    }

    private func setAside(_ unknown: [String], andRestore found: [String]) async throws {
        try await FileThreads.run { [self] in
            // Without a new modification time, an old file would be removed at the next start.
            for id in unknown where utimensat(AT_FDCWD, path(id), nil, 0) == 0 {
                rename(path(id), path(id + Self.unknownSuffix))
            }
            for id in found { rename(path(id + Self.unknownSuffix), path(id)) }
        }
        if !unknown.isEmpty {
            logger.notice("chat: \(unknown.count) files without a database entry are kept for 30 days")
        }
    }

    /// Removes files that no message uses any more.
    @Sendable func remove(_ ids: [String]) async { await FileThreads.remove(ids.map(path)) }

    /// Stores the body of a request as a file.
    ///
    /// - Throws: `ChatRefusal`, `HTTPError` or `ServerStoreFailure`.
    func store(_ body: RequestBody, of owner: Int) async throws -> ChatMedia {
        let id = UUID().uuidString.lowercased()
        let part = path(".\(id).part")
        do {
            _ = try await FileThreads.run { [folder] in mkdir(folder, 0o700) }
            try await checkRoom()
            let (length, head) = try await write(body, to: part)
            guard length > 0 else { throw ChatRefusal(.badRequest, "the file is empty") }
            var media = ChatMedia(
                id: id,
                url: ChatMedia.path(id),
                type: MediaType(head).name,
                bytes: length
            )
            if let picture = PictureHeader(head) {
                (media.width, media.height) = (picture.width, picture.height)
            }
            let path = path(id)
            let error = try await FileThreads.run { rename(part, path) == 0 ? 0 : errno }
            guard error == 0 else {
                throw ServerStoreFailure.unusable(path, String(cString: strerror(error)))
            }
            let now = WallClock.microseconds
            try await database.write { [media] in try ChatTables($0, now: now).add(media, owner: owner) }
            // The limits are enforced even if the client has disconnected, because its file is stored.
            await Task { await makeRoom(for: id, of: owner) }.value
            return media
        } catch {
            await FileThreads.remove([part, path(id)])
            throw error
        }
    }

    private func checkRoom() async throws {
        guard try await FileThreads.run({ [database] in database.folder.hasRoom }) else {
            throw ChatRefusal(.init(code: 507), "the disk of the server is full")
        }
    }

    /// Removes the oldest files until all limits are met, in several transactions, so that other operations are not
    /// delayed.
    private func makeRoom(for newest: String, of owner: Int) async {
        do {
            var count = 0
            while true {
                let removed = try await database.write {
                    try ChatTables($0, now: WallClock.microseconds).trimMedia(
                        quota,
                        of: owner,
                        newest: newest
                    )
                }
                await remove(removed)
                count += removed.count
                guard removed.count == quota.removedAtOnce else { break }
            }
            if count > 0 { logger.notice("chat: removed the \(count) oldest files") }
        } catch {
            let reason = (error as? ServerStoreFailure)?.message ?? "\(error)"
            logger.error("chat: old files were not removed: \(reason)")
        }
    }

    private func write(_ body: RequestBody, to part: String) async throws -> (length: Int, head: [UInt8]) {
        do {
            return try await FileSystem.shared.withFileHandle(
                forWritingAt: FilePath(part),
                options: .newFile(replaceExisting: false, permissions: [.ownerReadWrite])
            ) { file in
                var (length, head): (Int64, [UInt8]) = (0, [])
                var nextCheck = Self.checkInterval
                for try await bytes in body {
                    if head.count < Self.headLength {
                        head += bytes.readableBytesView.prefix(Self.headLength - head.count)
                    }
                    length += try await file.write(contentsOf: bytes, toAbsoluteOffset: length)
                    guard length >= nextCheck else { continue }
                    // Others may be storing files at the same time.
                    try await checkRoom()
                    nextCheck += Self.checkInterval
                }
                try Task.checkCancellation()
                // A message must not name a file that a power failure has shortened.
                try await file.synchronize()
                return (Int(length), head)
            }
        } catch let error as FileSystemError {
            throw ServerStoreFailure.unusable(part, "\(error.message)")
        }
    }

    /// Creates the response to a request for a file or a part of it.
    ///
    /// - Throws: `ChatRefusal`, `HTTPError` or `ServerStoreFailure`.
    func response(
        _ id: String,
        for person: Int,
        _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        let stored = try await database.read { database in
            let tables = ChatTables(database, now: 0)
            return try tables.mayRead(id, person: person) ? try tables.media(id) : nil
        }
        // Others do not learn whether the file exists.
        guard let stored else { throw ChatRefusal(.notFound, "there is no such file") }
        var headers: HTTPFields = [
            .cacheControl: "private, max-age=31536000, immutable", .xContentTypeOptions: "nosniff",
        ]
        headers.append("Content-Security-Policy", "default-src 'none'; sandbox")
        if stored.media.kind == .file { headers[.contentDisposition] = "attachment" }
        return try await .file(path(id), type: stored.media.type, headers: headers, for: request, context)
    }
}
