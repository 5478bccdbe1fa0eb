internal import AppFlow
internal import Basics
internal import ChatCore
internal import Foundation
internal import GLibKit
internal import MediaKit
internal import UserStore

/// The files of the app's chat: pictures are decoded, and others are saved to the user's folder for downloads.
actor AppChatFiles: ChatFiles {
    /// The maximum size of a picture that is decoded.
    private static let limit = PictureLimit(bytes: ChatLimits.largestFile)
    /// The maximum width and height of what is shown in a bubble, in pixels.
    private static let shownSide = 1024
    private static let longestName = 120
    /// The prefix for the names of files that are being fetched.
    private static let partPrefix = ".callrunner-"
    /// The age from which a partial file is nobody's any more, because no transfer takes as long.
    private static let partAge = Duration.seconds(3600)

    private let executor = GLibExecutor(threadName: "chat-files")
    private let service: any ChatService
    private let own: Int
    private let cache: PrivateFolder?
    private let downloads: String

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ service: any ChatService, own: Int, environment: [String: String]) {
        (self.service, self.own) = (service, own)
        cache = PrivateFolder.cache(environment)?.folder("chat")
        downloads = UserFolders(environment: environment).path(.downloads)
    }

    /// Removes the partial files of processes that were killed.
    func clean() {
        let now = Duration.seconds(Int64(Date.now.timeIntervalSince1970))
        func clean(_ folder: PrivateFolder, _ isPart: (String) -> Bool) {
            for name in folder.names where isPart(name) {
                guard let status = FileStatus(path: folder.path(name)), status.isRegularFile,
                    now - status.modified > Self.partAge
                else { continue }
                try? folder.remove(name)
            }
        }
        clean(PrivateFolder(downloads)) { name in
            name.hasPrefix(Self.partPrefix) && name.dropFirst(Self.partPrefix.count).first?.isNumber ?? false
        }
        if let cache { clean(cache) { _ in true } }
    }

    func picture(_ media: ChatMedia) async throws(ChatError) -> UserPicture {
        guard let cache else { throw Self.unwritable("there is no folder for a cache") }
        let name = "\(UInt64.random(in: 0 ... .max)).picture"
        // The folder is created with its first file, for the user alone.
        do throws(StoreFailure) { try cache.write([], to: name) } catch {
            throw Self.unwritable(error.message)
        }
        try? cache.remove(name)
        defer { try? cache.remove(name) }
        try await service.download(media, as: own, to: cache.path(name))
        guard let bytes = try? cache.read(name, limit: Self.limit.bytes) else {
            throw Self.unwritable("the picture cannot be read")
        }
        do throws(PictureError) {
            let frame = try await PictureDecoder.decode(
                bytes,
                maximumSide: Self.shownSide,
                limit: Self.limit
            )
            return UserPicture(frame)
        } catch { throw .refused(code: "picture", message: "the picture cannot be decoded") }
    }

    func save(_ media: ChatMedia, as name: String) async throws(ChatError) -> String {
        let part = "\(downloads)/\(Self.partPrefix)\(UInt64.random(in: 0 ... .max))"
        try await service.download(media, as: own, to: part)
        let names = SavedName(name, limit: Self.longestName)
        for number in 1... {
            let path = "\(downloads)/\(names.name(number))"
            do throws(FileMove.Failure) {
                try FileMove.move(part, to: path)
                return path
            } catch {
                if case .other(let reason) = error {
                    try? PrivateFolder(downloads).remove(String(part.dropFirst(downloads.count + 1)))
                    throw Self.unwritable(reason)
                }
            }
        }
        throw Self.unwritable("all names are taken")
    }

    private static func unwritable(_ reason: String) -> ChatError {
        .refused(code: "not_saved", message: reason)
    }
}
