extension StringProtocol {
    /// The printable beginning, at most 80 scalars; only the first 256 scalars of the text are read.
    package var printableBeginning: String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(256))).printable(limit: 80)
    }

    /// Makes the text safe for a terminal: one line of at most `limit` scalars.
    ///
    /// Control characters, line and paragraph separators, and format characters, such as those that change
    /// the writing direction, are removed.
    package func printable(limit: Int = 256) -> String {
        let scalars = unicodeScalars.lazy.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        return String(String.UnicodeScalarView(scalars.prefix(limit)))
    }
}
