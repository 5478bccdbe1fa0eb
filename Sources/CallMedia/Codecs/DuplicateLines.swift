internal import CallCore

/// Removes lines that webrtcbin repeats for each codec of a section although they apply to the whole section.
enum DuplicateLines {
    /// Returns the description with each `a=extmap`, `a=ssrc` and `a=rtpmap` line once per section.
    ///
    /// Firefox rejects duplicates.
    ///
    /// - Returns: the edited description.
    static func removed(from description: String) -> String {
        var seen: Set<Substring> = []
        return SessionDescriptionText.editing(description) { line in
            if line.hasPrefix("m=") { seen = [] }
            let isSingle = ["a=extmap:", "a=ssrc", "a=rtpmap:"].contains { line.hasPrefix($0) }
            guard isSingle else { return String(line) }
            return seen.insert(line).inserted ? String(line) : nil
        }
    }
}
