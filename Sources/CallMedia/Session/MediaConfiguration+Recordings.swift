internal import CallCore

extension MediaConfiguration {
    /// - Throws: `MediaFailure.recording` where two recordings would write to one file.
    func checkRecordings() throws {
        var files = recordings.map(\.file)
        while let one = files.popLast() {
            guard files.contains(where: { $0.isSame(as: one) }) else { continue }
            throw MediaFailure.recording(
                message: "\(one.path) is to hold two recordings",
                hint: "give --record, --record-local and --record-both different names"
            )
        }
    }
}
