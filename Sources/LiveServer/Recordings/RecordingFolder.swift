internal import Glibc
internal import ServerStore

/// The files of a recording: MP4 files with the frames, the index, and the playlist once the recording is complete.
///
/// Calls block, and belong on the threads for files.
struct RecordingFolder: Sendable {
    static let index = "index"
    static let playlist = "playlist.m3u8"

    let folder: ServerFolder

    static func file(_ number: Int) -> String { "\(number).mp4" }

    func path(_ name: String) -> String { folder.path(name) }

    /// Completes a recording with this playback ID: makes its playlist, and removes what is not whole from its files.
    ///
    /// When it returns, the recording survives a loss of power.
    ///
    /// - Returns: The duration in milliseconds; 0 if nothing was recorded.
    /// - Throws: `ServerStoreFailure`.
    func complete(_ playbackID: String) throws(ServerStoreFailure) -> Int {
        let bytes = try folder.secret(Self.index, limit: RecordingIndex.maximumLength)
        guard var index = bytes.map({ RecordingIndex($0) }) else { return 0 }
        for number in index.files.indices { try tidy(number, &index) }
        guard let text = index.playlist(playbackID) else { return 0 }
        let part = "." + Self.playlist
        try write(Array(text.utf8), at: 0, of: part, isLast: true)
        guard rename(path(part), path(Self.playlist)) == 0 else { throw failure(Self.playlist) }
        try synchronize("")
        return index.milliseconds
    }

    /// Writes bytes into a file; after the last ones, the file ends and is on the disk.
    ///
    /// - Throws: `ServerStoreFailure`.
    func write(
        _ bytes: [UInt8],
        at offset: Int,
        of name: String,
        isLast: Bool = false
    ) throws(ServerStoreFailure) {
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(name) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + written))
            }
            guard count > 0 else { throw failure(name) }
            written += count
        }
        guard isLast else { return }
        guard ftruncate(descriptor, off_t(offset + bytes.count)) == 0, fsync(descriptor) == 0 else {
            throw failure(name)
        }
    }

    /// Removes from the index what the file lacks, and from the file what the index lacks.
    private func tidy(_ number: Int, _ index: inout RecordingIndex) throws(ServerStoreFailure) {
        var status = stat()
        let path = path(Self.file(number))
        index.trim(file: number, to: stat(path, &status) == 0 ? Int(status.st_size) : 0)
        guard !index.files[number].fragments.isEmpty else { return }
        let length = index.files[number].length
        guard Int(status.st_size) == length || truncate(path, off_t(length)) == 0 else {
            throw failure(Self.file(number))
        }
        try synchronize(Self.file(number))
    }

    /// Waits until a file, or the folder itself if the name is empty, is on the disk.
    private func synchronize(_ name: String) throws(ServerStoreFailure) {
        let descriptor = open(name.isEmpty ? folder.path : path(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(name) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(name) }
    }

    private func failure(_ name: String) -> ServerStoreFailure {
        .unusable(name.isEmpty ? folder.path : path(name), String(cString: strerror(errno)))
    }
}
