internal import CallCore
internal import FoundationEssentials

extension CPUTimes {
    /// The current CPU times, read from `/proc`; nil if they are not available.
    static var now: CPUTimes? {
        guard let stat = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        else { return nil }
        return CPUTimes(stat: stat, status: status)
    }
}
