/// The directions of m-lines in the text of a session description (RFC 8866 §6.7).
enum SectionDirections {
    private static let directions: Set<Substring> = ["a=sendrecv", "a=sendonly", "a=recvonly"]

    /// The description with every audio and video section but those at `active` made inactive.
    static func inactivating(allBut active: Set<Int>, in description: String) -> String {
        var (index, isMedia) = (-1, false)
        return SessionDescriptionText.editing(description) { line in
            if line.hasPrefix("m=") {
                index += 1
                isMedia = line.hasPrefix("m=audio") || line.hasPrefix("m=video")
            }
            let isHere = isMedia && !active.contains(index) && directions.contains(line)
            return isHere ? "a=inactive" : String(line)
        }
    }
}
