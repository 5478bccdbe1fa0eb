/// The directions of the m-lines in the text of a session description (RFC 8866 §6.7).
enum SectionDirections {
    private static let directions: Set<Substring> = ["a=sendrecv", "a=sendonly", "a=recvonly"]

    /// Returns the description with all audio and video sections inactive, except those at the indices
    /// `active`.
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
