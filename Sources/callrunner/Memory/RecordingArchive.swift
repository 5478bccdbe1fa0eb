internal import AppFlow
internal import Basics
internal import DesktopKit
internal import FoundationEssentials
internal import GLibKit
internal import MediaKit
internal import UserStore

/// The user's recordings in the folder for videos, with a cache of their previews.
///
/// It runs on its own thread, because a disk may be slow.
actor RecordingArchive: RecordingStore {
    /// The maximum size of a preview's picture, in pixels.
    private static let pictureSize = Resolution(width: 320, height: 180)
    /// The maximum size of all cached previews in bytes.
    private static let cacheLimit = 32 << 20
    /// The time limit for requests to the trash and to the file manager.
    private static let desktopLimit = Duration.seconds(15)

    private let executor = GLibExecutor(threadName: "recordings")
    private let folder: RecordingsFolder
    private let environment: [String: String]
    private let library: PipelineLibrary
    private let limit: DecodingLimit
    private let cache: ClientCache?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(environment: [String: String], library: PipelineLibrary, limit: DecodingLimit) {
        (self.environment, self.library, self.limit) = (environment, library, limit)
        folder = RecordingsFolder(path: UserFolders(environment: environment).path(.videos))
        cache = PrivateFolder.cache(environment).map {
            ClientCache($0.folder("previews"), limit: Self.cacheLimit)
        }
    }

    func list() async -> [Recording] { folder.list() }

    func preview(of recording: Recording) async -> RecordingPreview? {
        guard let key = Self.key(recording) else { return nil }
        if let bytes = cache?.read(key), let preview = RecordingPreview(cached: bytes) { return preview }
        let file = try? await FilePreview.read(
            recording.path,
            inside: Self.pictureSize,
            library: library,
            limit: limit
        )
        guard let file else { return nil }
        let preview = RecordingPreview(duration: file.duration, picture: file.picture)
        // If the file was deleted meanwhile, its picture must not remain. Without a cache, the file is read again the
        // next time.
        if let bytes = preview.cached, Self.key(recording) == key { try? cache?.write(bytes, for: key) }
        return preview
    }

    func rename(_ recording: Recording, to title: RecordingTitle) async throws -> Recording {
        let key = Self.key(recording)
        let renamed = try folder.rename(recording, to: title)
        if let key, let next = Self.key(renamed), let bytes = cache?.read(key) {
            try? cache?.write(bytes, for: next)
        }
        if let key { cache?.remove(key) }
        return renamed
    }

    func trash(_ recording: Recording) async throws {
        let key = Self.key(recording)
        do {
            let moved: Void? = try await withDeadline(Self.desktopLimit) {
                try await Trash.move(recording.path)
            }
            guard moved != nil else { throw RecordingProblem.timedOut }
        } catch let problem as RecordingProblem {
            throw problem
        } catch {
            guard FileManager.default.fileExists(atPath: recording.path) else {
                throw RecordingProblem.failed("\(error)")
            }
            throw RecordingProblem.noTrash("\(error)")
        }
        if let key { cache?.remove(key) }
    }

    func delete(_ recording: Recording) async throws {
        let key = Self.key(recording)
        try folder.delete(recording)
        if let key { cache?.remove(key) }
    }

    func reveal(_ recording: Recording) async throws {
        do {
            let shown: Void? = try await withDeadline(Self.desktopLimit) { [environment] in
                try await FileManagerService.reveal(recording.path, environment)
            }
            guard shown != nil else { throw RecordingProblem.timedOut }
        } catch is CancellationError {
            throw RecordingProblem.timedOut
        } catch let problem as RecordingProblem {
            throw problem
        } catch {
            throw RecordingProblem.failed("\(error)")
        }
    }

    /// The key of a recording's preview; nil if the file does not exist.
    private static func key(_ recording: Recording) -> String? {
        FileStatus(path: recording.path).map { "\(recording.path)\n\($0.size)\n\($0.modified)" }
    }
}

extension RecordingPreview {
    /// Creates a preview from the bytes of the cache; nil if they are invalid.
    init?(cached bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let line = String(validating: bytes[..<end], as: UTF8.self)
        else { return nil }
        let numbers = line.split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let milliseconds = numbers[0], let width = numbers[1],
            let height = numbers[2]
        else { return nil }
        self.init(duration: milliseconds >= 0 ? .milliseconds(milliseconds) : nil)
        guard width != 0 || height != 0 else { return }
        let size = Resolution(width: width, height: height)
        guard let picture = VideoFrame(i420: Array(bytes[(end + 1)...]), size) else { return nil }
        self.picture = picture
    }

    /// The bytes for the cache; nil if the picture cannot be stored.
    var cached: [UInt8]? {
        let milliseconds = duration.map { Int(clamping: Int64($0 / .milliseconds(1))) } ?? -1
        guard let picture else { return Array("\(milliseconds) 0 0\n".utf8) }
        guard let content = picture.i420Bytes else { return nil }
        return Array("\(milliseconds) \(picture.size.width) \(picture.size.height)\n".utf8) + content
    }
}
