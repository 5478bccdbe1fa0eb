/// The check of the edit lists of an MP4 file (ISO/IEC 14496-12 §8.6.6).
///
/// qtdemux fills the time of an edit without media with events, one for each half second.
struct EditCheck {
    /// The maximum time without media in all edit lists, in seconds.
    private static let longestWait: UInt64 = 86_400
    private static let maximumEdits: UInt64 = 10_000

    /// The units of time per second; the fewest if there are several headers.
    private var scale: UInt64?
    private var edits: UInt64 = 0
    /// The sum of the durations without media, in units of time; more than a sum can hold counts as the largest one.
    private var wait: UInt64 = 0

    /// Adds the header of the movie, or an edit list.
    ///
    /// - Throws: The reason for refusing the file.
    mutating func add(_ box: BoxTree.Box, of file: BoundedFile) throws(ContainerRefusal) {
        let start = box.content.lowerBound
        let isLong = try file.number(at: start, size: 1) == 1
        guard box.name == "elst" else {
            guard let scale = try file.number(at: start + (isLong ? 20 : 12), size: 4) else { return }
            self.scale = min(self.scale ?? scale, scale)
            return
        }
        let size: UInt64 = isLong ? 8 : 4
        let declared = try file.number(at: start + 4, size: 4) ?? 0
        let count = min(declared, box.length < 8 ? 0 : (box.length - 8) / (2 * size + 4))
        edits += count
        guard edits <= Self.maximumEdits else { throw ContainerRefusal("its edit lists are too long") }
        for place in stride(from: start + 8, to: start + 8 + count * (2 * size + 4), by: Int(2 * size + 4)) {
            guard let duration = try file.number(at: place, size: Int(size)),
                let begin = try file.number(at: place + size, size: Int(size))
            else { return }
            // An edit without media begins at −1.
            guard begin == UInt64.max >> (64 - 8 * size) else { continue }
            let (sum, isBeyond) = wait.addingReportingOverflow(duration)
            wait = isBeyond ? .max : sum
        }
    }

    /// Checks what was added, in any order.
    ///
    /// - Throws: The reason for refusing the file.
    func finish() throws(ContainerRefusal) {
        guard wait / max(1, scale ?? 1) <= Self.longestWait else {
            throw ContainerRefusal("its tracks begin after more than a day")
        }
    }
}
