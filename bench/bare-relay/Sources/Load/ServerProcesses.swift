/// All server processes under load, measured together and separately.
struct ServerProcesses {
    private let all: [ServerProcess]

    init(_ all: [ServerProcess]) { self.all = all }

    /// The user and system time of all processes so far, in seconds.
    var cpuSeconds: Double { cpuSecondsOfEach.reduce(0, +) }

    var cpuSecondsOfEach: [Double] { all.map(\.cpuSeconds) }

    /// The resident set size of each process, in bytes.
    var residentBytesOfEach: [Int] { all.map(\.residentBytes) }

    /// Returns the CPU time that each process has used since an earlier measurement, in seconds.
    ///
    /// - Parameter times: earlier values of `cpuSecondsOfEach`.
    /// - Returns: the differences, in the same order.
    func spent(since times: [Double]) -> [Double] { zip(cpuSecondsOfEach, times).map(-) }

    /// Returns each time with a name that ends with the index of its process on the command line.
    func named(_ times: [Double]) -> [(String, Double)] {
        times.enumerated().map { ("cpuSecondsOf\($0)", $1) }
    }
}
