internal import CGLib
internal import Glibc

/// Memory that processes can share, initially filled with zeros.
///
/// Only pages that have been written occupy memory. The size is fixed, so that no process can remove pages that another
/// one uses.
package final class SharedMemory: @unchecked Sendable {  // users synchronize their accesses
    package let bytes: UnsafeMutableRawBufferPointer
    /// The file that another process can map; -1 in a process that has mapped the memory of another one.
    private let descriptor: Int32

    // Constants of <linux/memfd.h> and <linux/fcntl.h>.
    private static let closedOnExec: UInt32 = 0x1  // MFD_CLOEXEC
    private static let sealable: UInt32 = 0x2  // MFD_ALLOW_SEALING
    private static let notExecutable: UInt32 = 0x8  // MFD_NOEXEC_SEAL
    private static let addSeals: Int32 = 1033  // F_ADD_SEALS
    private static let fixedSize: Int32 = 0x1 | 0x2 | 0x4  // F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW

    /// Creates memory of this size in bytes.
    ///
    /// - Throws: `GLibError`.
    package init(size: Int) throws(GLibError) {
        let flags = Self.closedOnExec | Self.sealable
        let opened = memfd_create("callrunner", flags | Self.notExecutable)
        // Kernels before 6.3 do not support MFD_NOEXEC_SEAL, which some systems require.
        descriptor = opened < 0 && errno == EINVAL ? memfd_create("callrunner", flags) : opened
        guard descriptor >= 0 else { throw Self.failure() }
        do throws(GLibError) {
            guard ftruncate(descriptor, size) == 0, fcntl(descriptor, Self.addSeals, Self.fixedSize) == 0
            else { throw Self.failure() }
            bytes = try Self.map(descriptor, size)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Maps memory that another process has created, and closes `descriptor`.
    ///
    /// - Throws: `GLibError` if the memory cannot be mapped or has another size.
    package init(taking descriptor: Int32, size: Int) throws(GLibError) {
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure() }
        guard status.st_size == size else {
            throw GLibError(domain: "", code: 0, message: "the memory has another size")
        }
        bytes = try Self.map(descriptor, size)
        self.descriptor = -1
    }

    deinit {
        munmap(bytes.baseAddress, bytes.count)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Returns a descriptor for another process, which the caller has to close.
    ///
    /// - Throws: `GLibError`.
    package func duplicate() throws(GLibError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw Self.failure() }
        return copy
    }

    private static func map(_ descriptor: Int32, _ size: Int) throws(GLibError)
        -> UnsafeMutableRawBufferPointer
    {
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let start, start != MAP_FAILED else { throw failure() }
        return UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    private static func failure() -> GLibError {
        GLibError(domain: "errno", code: Int(errno), message: String(cString: strerror(errno)))
    }
}
