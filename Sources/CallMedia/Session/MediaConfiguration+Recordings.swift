internal import CallCore

extension MediaConfiguration {
    /// Checks that no two recordings use the same file.
    ///
    /// - Throws: `MediaFailure.recording` if two recordings would write to the same file.
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
