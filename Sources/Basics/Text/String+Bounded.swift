extension String {
    /// Returns the longest prefix of the text that has at most `limit` bytes of UTF-8.
    package func bounded(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var beginning = utf8.prefix(limit)
        while true {
            if let text = String(beginning) { return text }
            // The limit lies between the bytes of one Unicode scalar.
            beginning = beginning.dropLast()
        }
    }
}
