/// The CPU time of the processors that may run this process, as the kernel reports it (proc(5)).
package struct CPUTimes: Hashable, Sendable {
    /// The busy time in clock ticks; `all` also includes the idle time.
    private var busy: UInt64 = 0
    private var all: UInt64 = 0

    /// Parses the texts of `/proc/stat` and of `/proc/self/status`, which lists the processors that may be
    /// used.
    ///
    /// - Returns: nil if either text lacks the expected lines.
    package init?(stat: String, status: String) {
        guard let allowed = Self.allowed(in: status) else { return nil }
        for line in stat.split(separator: "\n") where line.hasPrefix("cpu") {
            let fields = line.split(separator: " ")
            guard let name = fields.first, let number = Int(name.dropFirst(3)), fields.count > 5,
                allowed.contains(where: { $0.contains(number) })
            else { continue }
            // Guest time, which follows the first eight fields, is included in user time.
            let times = fields.dropFirst().prefix(8).map { UInt64($0) ?? 0 }
            let total = times.reduce(0, &+)
            all &+= total
            busy &+= total &- times[3] &- times[4]  // idle and iowait
        }
        guard all > 0 else { return nil }
    }

    /// Parses the list of allowed processors, such as `0-3,7`, in the text of `/proc/self/status`.
    private static func allowed(in status: String) -> [ClosedRange<Int>]? {
        let name = "Cpus_allowed_list:"
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.dropFirst(name.count).split(separator: ",").compactMap { part in
            let ends = part.split(separator: "-").compactMap { Int($0.filter(\.isNumber)) }
            guard let first = ends.first, let last = ends.last, first <= last else { return nil }
            return first...last
        }
    }

    /// Returns the fraction of CPU time that was busy since `before`, from 0 to 1; nil if no time has passed
    /// or the busy time has decreased.
    package func load(since before: CPUTimes) -> Double? {
        guard all > before.all, busy >= before.busy else { return nil }
        return min(Double(busy - before.busy) / Double(all - before.all), 1)
    }
}
