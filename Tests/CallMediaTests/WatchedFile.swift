import Foundation
import Glibc

/// A file whose growth a test can wait for while somebody else writes it.
final class WatchedFile: Sendable {
    let path: String
    private let events: FileHandle
    private let sizes: AsyncStream<Int>

    init(path: String) throws {
        self.path = path
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        events = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard FileManager.default.createFile(atPath: path, contents: nil),
            inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let (sizes, size) = AsyncStream.makeStream(of: Int.self)
        self.sizes = sizes
        events.readabilityHandler = { handle in
            _ = handle.availableData
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            size.yield(attributes?[.size] as? Int ?? 0)
        }
    }

    deinit { events.readabilityHandler = nil }

    /// Returns when so many bytes have been written.
    func reach(_ bytes: Int) async { for await size in sizes where size >= bytes { return } }
}
