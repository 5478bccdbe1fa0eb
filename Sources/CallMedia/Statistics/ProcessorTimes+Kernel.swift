internal import CallCore
internal import FoundationEssentials

extension ProcessorTimes {
    /// Read from the kernel; nil where it does not tell.
    static var now: ProcessorTimes? {
        guard let stat = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        else { return nil }
        return ProcessorTimes(stat: stat, status: status)
    }
}
