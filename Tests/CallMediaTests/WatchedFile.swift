import Foundation
import Glibc

/// A file whose growth a test can wait for while other code writes it.
final class WatchedFile: Sendable {
    let path: String
    private let sizes: AsyncStream<Int>
    private let stop: FileHandle

    init(path: String) throws {
        self.path = path
        let changes = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard FileManager.default.createFile(atPath: path, contents: nil),
            inotify_add_watch(changes, path, UInt32(IN_MODIFY)) >= 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let pipe = Pipe()
        stop = pipe.fileHandleForWriting
        let (sizes, size) = AsyncStream.makeStream(of: Int.self)
        self.sizes = sizes
        // Waiting for inotify blocks, so it happens on a separate thread and not in the pool.
        Thread.detachNewThread { Self.watch(changes, path, until: pipe.fileHandleForReading, size) }
    }

    deinit { try? stop.close() }

    /// Waits until this many bytes have been written.
    func reach(_ bytes: Int) async { for await size in sizes where size >= bytes { return } }

    private static func watch(
        _ changes: Int32,
        _ path: String,
        until stop: FileHandle,
        _ size: AsyncStream<Int>.Continuation
    ) {
        defer { close(changes) }
        let input = Int16(POLLIN)
        var waiting = [
            pollfd(fd: changes, events: input, revents: 0),
            pollfd(fd: stop.fileDescriptor, events: input, revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while poll(&waiting, nfds_t(waiting.count), -1) >= 0, waiting[1].revents == 0 {
            _ = read(changes, &buffer, buffer.count)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            size.yield(attributes?[.size] as? Int ?? 0)
        }
    }
}
