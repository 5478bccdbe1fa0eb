internal import Glibc

/// A lookup of the owners of local TCP connections in `/proc` (proc(5)).
enum LoopbackSockets {
    /// Checks whether this process owns the TCP socket that is connected from one local port to another.
    static func isOurs(from port: Int, to otherPort: Int) -> Bool {
        guard let inode = inode(from: port, to: otherPort) else { return false }
        guard let folder = opendir("/proc/self/fd") else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            // An entry is only as long as its name requires, often shorter than its C type, so it must not be
            // copied.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return false }
            let start = UnsafeRawPointer(entry) + offset
            let name = String(cString: start.assumingMemoryBound(to: CChar.self))
            if target(of: "/proc/self/fd/\(name)") == "socket:[\(inode)]" { return true }
        }
        return false
    }

    private static func inode(from port: Int, to otherPort: Int) -> String? {
        for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            guard let text = contents(of: table) else { continue }
            for line in text.split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ", omittingEmptySubsequences: true)
                guard fields.count > 9, Self.port(of: fields[1]) == port,
                    Self.port(of: fields[2]) == otherPort
                else { continue }
                return String(fields[9])
            }
        }
        return nil
    }

    /// Parses the port of an address such as `0100007F:1F90`.
    private static func port(of address: Substring) -> Int? {
        address.lastIndex(of: ":").flatMap { Int(address[address.index(after: $0)...], radix: 16) }
    }

    private static func contents(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes.append(contentsOf: chunk[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(link, start, buffer.count)
            return count > 0 ? text(UnsafeRawBufferPointer(rebasing: buffer[..<count])) : nil
        }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
