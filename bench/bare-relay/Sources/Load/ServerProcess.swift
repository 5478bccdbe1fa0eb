internal import Glibc

/// A server process under load, which is measured through `/proc`.
struct ServerProcess {
    let pid: Int

    /// User and system time of all threads so far, in seconds.
    var cpuSeconds: Double {
        // The process name, in parentheses, may contain any character. After it, field 0 is the state, and
        // fields 11 and 12 are the user and system time.
        let fields = contents("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            fail("process \(pid) tells no times")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The resident set size, in bytes.
    var residentBytes: Int {
        let fields = contents("statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { fail("process \(pid) tells no memory") }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    private func contents(_ name: String) -> String {
        guard let file = fopen("/proc/\(pid)/\(name)", "r") else { fail("no process \(pid)") }
        defer { fclose(file) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = fread(buffer.baseAddress, 1, buffer.count, file)
            return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        }
    }
}

/// Returns the time of the monotonic clock, in nanoseconds.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func fail(_ what: String) -> Never {
    let line = "load: \(what)\n"
    write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
}
