internal import ChatCore
internal import Foundation
internal import GLibKit
internal import UserStore

/// A folder of the user's in which files of messages are saved.
struct MediaFolder: Sendable {
    /// The name prefix of files that are being downloaded, which a number follows.
    private static let partPrefix = ".callrunner-"
    /// The time without a write after which a partial file counts as abandoned; no transfer takes that long.
    private static let partAge = Duration.seconds(3600)
    private static let longestName = 120

    let path: String

    /// Removes the partial files of processes that were killed.
    func clean() {
        Self.clean(PrivateFolder(path)) { name in
            name.hasPrefix(Self.partPrefix) && name.dropFirst(Self.partPrefix.count).first?.isNumber ?? false
        }
    }

    /// Removes the files whose names satisfy `isPart` and that have not been written for an hour.
    static func clean(_ folder: PrivateFolder, _ isPart: (String) -> Bool) {
        let now = Duration.seconds(Int64(Date.now.timeIntervalSince1970))
        for name in folder.names where isPart(name) {
            guard let status = FileStatus(path: folder.path(name)), status.isRegularFile,
                now - status.modified > partAge
            else { continue }
            try? folder.remove(name)
        }
    }

    /// Downloads a file, and gives it the first of its names that is free.
    ///
    /// - Returns: The path; nil if `isOnce` and the same file is already there under one of these names.
    /// - Throws: `ChatError`.
    func save(
        _ media: ChatMedia,
        as name: String,
        once isOnce: Bool,
        from service: any ChatService,
        for own: Int
    ) async throws(ChatError) -> String? {
        let part = "\(path)/\(Self.partPrefix)\(UInt64.random(in: 0 ... .max))"
        try await service.download(media, as: own, to: part)
        let names = SavedName(name, limit: Self.longestName)
        do throws(FileMove.Failure) {
            if !isOnce || !isThere(part, names) { return try names.move(part, to: path) }
            remove(part)
            return nil
        } catch {
            remove(part)
            throw .refused(code: "not_saved", message: error.reason)
        }
    }

    private func remove(_ part: String) {
        try? PrivateFolder(path).remove(String(part.dropFirst(path.count + 1)))
    }

    /// Whether a file with one of these names has the same contents.
    private func isThere(_ part: String, _ names: SavedName) -> Bool {
        let length = FileStatus(path: part)?.size
        var number = 1
        while let status = FileStatus(path: "\(path)/\(names.name(number))") {
            if status.isRegularFile, status.size == length,
                FileManager.default.contentsEqual(atPath: part, andPath: "\(path)/\(names.name(number))")
            {
                return true
            }
            number += 1
        }
        return false
    }
}
