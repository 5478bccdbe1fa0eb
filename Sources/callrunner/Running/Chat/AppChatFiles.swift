internal import AppFlow
internal import Basics
internal import ChatCore
internal import Foundation
internal import GLibKit
internal import MediaKit
internal import UserStore

/// The files of the app's chat: pictures are decoded, sounds are downloaded for playback, and other files are saved to
/// the user's download folder.
actor AppChatFiles: ChatFiles {
    /// The maximum size of a picture that is decoded.
    private static let limit = PictureLimit(bytes: ChatLimits.largestFile)
    /// The maximum width and height of a picture in a message bubble, in pixels.
    private static let shownSide = 1024
    /// The maximum time between two writes to a recording in progress; a file that is older is not being recorded.
    private static let recordingPause = Duration.seconds(30)
    private static let voiceEnding = ".ogg"

    private let executor = GLibExecutor(threadName: "chat-files")
    private let service: any ChatService
    private let own: Int
    private let cache: PrivateFolder?
    /// The folder for voice messages that have not been sent; nil if there is none.
    private let voices: PrivateFolder?
    private let downloads: String

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ service: any ChatService,
        own: Int,
        voices: PrivateFolder?,
        environment: [String: String]
    ) {
        (self.service, self.own, self.voices) = (service, own, voices)
        cache = PrivateFolder.cache(environment)?.folder("chat")
        downloads = UserFolders(environment: environment).path(.downloads)
    }

    /// Removes the partial files of processes that were killed.
    func clean() {
        MediaFolder(path: downloads).clean()
        if let cache { MediaFolder.clean(cache) { _ in true } }
    }

    func picture(_ media: ChatMedia) async throws(ChatError) -> UserPicture {
        let (cache, name) = try temporary("picture")
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

    func fetch(_ media: ChatMedia) async throws(ChatError) -> String {
        let (cache, name) = try temporary("sound")
        try await service.download(media, as: own, to: cache.path(name))
        return cache.path(name)
    }

    func forget(_ path: String) {
        for folder in [cache, voices].compactMap(\.self) where path.hasPrefix(folder.path("")) {
            try? folder.remove(String(path.dropFirst(folder.path("").utf8.count)))
        }
    }

    func newVoice(_ id: String, for peer: Int) throws(ChatError) -> String {
        guard let voices else { throw Self.unwritable("there is no folder for voice messages") }
        return try Self.create("\(peer)-\(id)\(Self.voiceEnding)", in: voices)
    }

    func leftVoices() -> [OutgoingFile] {
        guard let voices else { return [] }
        let now = Duration.seconds(Int64(Date.now.timeIntervalSince1970))
        return voices.names.sorted().compactMap { name in
            // Another process may be recording it.
            guard let status = FileStatus(path: voices.path(name)), status.isRegularFile, status.size > 0,
                now - status.modified > Self.recordingPause
            else { return nil }
            return OutgoingFile(voice: name, at: voices.path(name), ending: Self.voiceEnding)
        }
    }

    /// Returns the cache folder, and the name of a file that does not exist in it.
    private func temporary(_ ending: String) throws(ChatError) -> (folder: PrivateFolder, name: String) {
        guard let cache else { throw Self.unwritable("there is no folder for a cache") }
        let name = "\(UInt64.random(in: 0 ... .max)).\(ending)"
        _ = try Self.create(name, in: cache)
        // The download creates the file itself.
        try? cache.remove(name)
        return (cache, name)
    }

    /// Creates an empty file, and its folder if necessary, that only the user can access; returns the path.
    private static func create(_ name: String, in folder: PrivateFolder) throws(ChatError) -> String {
        do throws(StoreFailure) { try folder.write([], to: name) } catch {
            throw unwritable(error.message)
        }
        return folder.path(name)
    }

    func save(_ media: ChatMedia, as name: String) async throws(ChatError) -> String {
        let folder = MediaFolder(path: downloads)
        let path = try await folder.save(media, as: name, once: false, from: service, for: own)
        return path ?? ""
    }

    private static func unwritable(_ reason: String) -> ChatError {
        .refused(code: "not_saved", message: reason)
    }
}

extension OutgoingFile {
    /// Parses the file name of a voice message, `PEER-ID` followed by `ending`; nil for other files.
    fileprivate init?(voice name: String, at path: String, ending: String) {
        let parts = name.split(separator: "-", maxSplits: 1)
        guard name.hasSuffix(ending), parts.count == 2, let peer = Int(parts[0]), peer > 0 else { return nil }
        let id = String(parts[1].dropLast(ending.count))
        guard ChatLimits.isMessageID(id) else { return nil }
        self.init(id: id, path: path, peer: peer)
        (isVoice, isNotSent) = (true, true)
    }
}
