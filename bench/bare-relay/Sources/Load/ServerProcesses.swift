/// All server processes under load, measured together and separately.
struct ServerProcesses {
    private let all: [ServerProcess]

    init(_ all: [ServerProcess]) { self.all = all }

    /// User and system time so far, in seconds.
    var cpuSeconds: Double { cpuSecondsOfEach.reduce(0, +) }

    var cpuSecondsOfEach: [Double] { all.map(\.cpuSeconds) }

    /// The resident sets, in bytes.
    var residentBytesOfEach: [Int] { all.map(\.residentBytes) }

    /// Returns the CPU time that each process has used since those times, in seconds.
    ///
    /// - Parameter times: earlier values of `cpuSecondsOfEach`.
    /// - Returns: the differences, in the same order.
    func spent(since times: [Double]) -> [Double] { zip(cpuSecondsOfEach, times).map(-) }

    /// Names the times by the index of each process on the command line.
    func named(_ times: [Double]) -> [(String, Double)] {
        times.enumerated().map { ("cpuSecondsOf\($0)", $1) }
    }
}
