extension StringProtocol {
    /// The beginning, as `printable(limit:)` shows it; however long the text is, no more of it is looked at.
    var printableBeginning: String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(256))).printable(limit: 80)
    }

    /// The text as it may be shown on a terminal: on one line, without control characters or any that turn
    /// the direction of writing around, and of `limit` scalars at most.
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
