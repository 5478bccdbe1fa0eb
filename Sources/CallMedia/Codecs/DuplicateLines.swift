internal import CallCore

/// Lines that webrtcbin writes once for each codec of a section, although they hold for all of it.
enum DuplicateLines {
    /// The description with each `a=extmap`, `a=ssrc` and `a=rtpmap` once in a section; Firefox refuses others.
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
