internal import FoundationEssentials
internal import Glibc

/// The machine code of this program in memory.
enum ProgramCode {
    /// Releases the memory of the code that has run so far, once per process; the kernel maps code again when
    /// it is executed.
    ///
    /// The kernel maps 16 pages around each executed page. Most of these pages belong to the setup of the
    /// call, which is complete.
    static func release() { _ = isReleased }

    private static let isReleased: Bool = {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        else { return false }
        return ranges(of: program, in: maps).allSatisfy { range in
            madvise(UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED) == 0
        }
    }()

    /// Returns the ranges of a file's executable, read-only mappings in the text of `/proc/self/maps`.
    static func ranges(of path: String, in maps: String) -> [Range<UInt>] {
        maps.split(separator: "\n").compactMap { line in
            // Address range, permissions, offset, device, inode, path.
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].drop(while: { $0 == " " }) == path
            else { return nil }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
            return bounds[0]..<bounds[1]
        }
    }
}
