internal import FoundationEssentials
internal import Glibc

/// The metrics of this process, under the names that Prometheus' client libraries use.
package struct ProcessMeasures: Hashable, Sendable {
    /// The resident memory in bytes.
    var residentMemory: Int?
    /// The virtual memory in bytes.
    var virtualMemory: Int?
    /// The start time in seconds since 1970.
    var startTime: Double?
    /// The total user and system CPU time in seconds.
    var cpuTime: Double
    var openDescriptors: Int?
    var maximumDescriptors: Int

    /// Reads the metrics from `/proc`; missing ones are nil, or 0 for `cpuTime`.
    package static func current() -> ProcessMeasures {
        let statistics = Self.text("/proc/self/stat").flatMap(Statistics.init)
        let boot = Self.text("/proc/stat").flatMap(Self.bootTime)
        let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return ProcessMeasures(
            residentMemory: statistics.map { $0.residentPages * Int(sysconf(Int32(_SC_PAGESIZE))) },
            virtualMemory: statistics?.virtualMemory,
            startTime: boot.flatMap { boot in statistics.map { boot + Double($0.startTicks) / ticks } },
            cpuTime: statistics.map { Double($0.cpuTicks) / ticks } ?? 0,
            openDescriptors: (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count,
            maximumDescriptors: DescriptorLimit.current
        )
    }

    /// The fields of `/proc/self/stat` (proc(5)) that the metrics require.
    struct Statistics: Hashable {
        let cpuTicks: Int
        let startTicks: Int
        let virtualMemory: Int
        let residentPages: Int

        init?(_ line: String) {
            // The second field is the program's name, which may contain spaces and parentheses.
            guard let name = line.lastIndex(of: ")") else { return nil }
            let fields = line[line.index(after: name)...].split(whereSeparator: \.isWhitespace)
            // The first element of `fields` is the third field of the line.
            func field(_ number: Int) -> Int? { number - 3 < fields.count ? Int(fields[number - 3]) : nil }
            guard let user = field(14), let system = field(15), let start = field(22),
                let virtual = field(23),
                let resident = field(24)
            else { return nil }
            cpuTicks = user &+ system
            startTicks = start
            virtualMemory = virtual
            residentPages = resident
        }
    }

    private static func bootTime(_ statistics: String) -> Double? {
        let line = statistics.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst(6)) }
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension PrometheusText {
    package mutating func add(_ process: ProcessMeasures) {
        if let bytes = process.residentMemory {
            add(.gauge, "process_resident_memory_bytes", "Resident memory size in bytes.", bytes)
        }
        if let bytes = process.virtualMemory {
            add(.gauge, "process_virtual_memory_bytes", "Virtual memory size in bytes.", bytes)
        }
        add(
            .counter,
            "process_cpu_seconds_total",
            "Total user and system CPU time spent in seconds.",
            process.cpuTime
        )
        if let count = process.openDescriptors {
            add(.gauge, "process_open_fds", "Number of open file descriptors.", count)
        }
        add(
            .gauge,
            "process_max_fds",
            "Maximum number of open file descriptors.",
            process.maximumDescriptors
        )
        if let time = process.startTime {
            add(
                .gauge,
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
                time
            )
        }
    }
}
