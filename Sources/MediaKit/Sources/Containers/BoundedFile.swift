internal import Glibc

/// A regular file that is read in parts, with a limit on the number of reads, or a part of a file in memory.
final class BoundedFile {
    private enum Content {
        case file(descriptor: Int32)
        case memory([UInt8])
    }

    let size: UInt64

    private let content: Content
    /// The bytes of the latest read, and their position in the file.
    private var window: [UInt8] = []
    private var place: UInt64 = 0
    private var reads = 0

    /// The minimum number of bytes per read: headers are short and often far apart.
    private static let windowLength = 2048
    /// The maximum number of reads, above which a file is refused.
    ///
    /// A recording of ten hours that was cut short needs six million, at a microsecond each.
    private static let maximumReads = 20_000_000

    /// Opens a file; nil if it is not a regular file or cannot be read.
    init?(_ path: String) {
        // Without O_NONBLOCK, opening a pipe would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        // Reading ahead would load much of what is skipped.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM)
        (content, size) = (.file(descriptor: descriptor), UInt64(clamping: status.st_size))
    }

    init(_ bytes: [UInt8]) { (content, size) = (.memory(bytes), UInt64(bytes.count)) }

    deinit {
        if case .file(let descriptor) = content { close(descriptor) }
    }

    /// Returns up to `count` bytes from a position; fewer at the end of the file.
    func bytes(_ count: Int, at position: UInt64) throws(ContainerRefusal) -> ArraySlice<UInt8> {
        switch content {
        case .memory(let bytes): return position < size ? bytes[Int(position)...].prefix(count) : []
        case .file(let descriptor): return try read(count, at: position, of: descriptor)
        }
    }

    private func read(
        _ count: Int,
        at position: UInt64,
        of descriptor: Int32
    ) throws(ContainerRefusal) -> ArraySlice<UInt8> {
        if position >= place, let skipped = Int(exactly: position - place), skipped < window.count,
            window.count - skipped >= count
        {
            return window[skipped..<(skipped + count)]
        }
        guard position < size, let offset = off_t(exactly: position) else { return [] }
        reads += 1
        guard reads <= Self.maximumReads else {
            throw ContainerRefusal("it consists of too many parts")
        }
        let length = max(count, Self.windowLength)
        if window.count != length { window = [UInt8](repeating: 0, count: length) }
        let read = max(0, pread(descriptor, &window, length, offset))
        if read < length { window.removeLast(length - read) }
        place = position
        return window.prefix(count)
    }

    /// Reads a big-endian integer of `size` bytes, at most 8; nil if fewer bytes are left.
    func number(at position: UInt64, size: Int) throws(ContainerRefusal) -> UInt64? {
        let bytes = try bytes(size, at: position)
        return bytes.number(at: 0, size: size)
    }
}
