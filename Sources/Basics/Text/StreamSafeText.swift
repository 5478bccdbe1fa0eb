extension StringProtocol {
    /// The maximum number of combining marks in a row (UAX #15 §13).
    private static var mostMarks: Int { 30 }
    /// The maximum length in bytes of a text that need not be checked, because it contains few marks.
    private static var harmlessLength: Int { 128 }

    /// Whether the text has at most 30 combining marks in a row, or is short.
    ///
    /// Swift compares and hashes texts by their normal forms. This takes time that grows with the square of the number
    /// of marks in a row, so a text from a peer that is not stream-safe could stall the program.
    package var isStreamSafe: Bool {
        guard utf8.count > Self.harmlessLength, !isASCII else { return true }
        var marks = 0
        for scalar in unicodeScalars {
            scalar.count(in: &marks)
            if marks > Self.mostMarks { return false }
        }
        return true
    }

    /// The text in the Stream-Safe Text Format: U+034F follows each 30 combining marks in a row (UAX #15 §13).
    package var streamSafe: String {
        guard !isStreamSafe else { return String(self) }
        var (safe, marks) = (String.UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            scalar.count(in: &marks)
            if marks > Self.mostMarks {
                safe.append(.graphemeJoiner)
                marks = 1
            }
            safe.append(scalar)
        }
        return String(safe)
    }

    /// The text if it is short enough to be a keyword of a protocol, otherwise an empty text.
    ///
    /// Comparing a long text from a peer with many keywords takes a noticeable time.
    package var protocolWord: Substring { utf8.count <= 64 ? Substring(self) : "" }

    private var isASCII: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in bytes.allSatisfy { $0 < 0x80 } }
            ?? utf8.allSatisfy { $0 < 0x80 }
    }
}

extension Unicode.Scalar {
    fileprivate static let graphemeJoiner: Unicode.Scalar = "\u{34F}"

    /// Counts the combining marks in a row.
    fileprivate func count(in marks: inout Int) {
        // The first combining mark is U+0300.
        if value >= 0x300, properties.canonicalCombiningClass != .notReordered {
            marks += 1
        } else if marks > 0, self == .graphemeJoiner || !properties.isDefaultIgnorableCodePoint {
            // Invisible characters do not end a row, because they may be removed later.
            marks = 0
        }
    }
}
