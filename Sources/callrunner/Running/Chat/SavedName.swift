/// The names for a file that somebody else has named.
struct SavedName: Hashable {
    private let stem: String
    private let ending: String

    /// Takes a name without what a path or a hidden file would need, and shortens it to a number of bytes.
    init(_ name: String, limit: Int) {
        let allowed = name.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
            default: scalar != "/" && scalar != "\\"
            }
        }
        var text = String(String.UnicodeScalarView(allowed))
        text = String(text.drop { $0 == "." || $0.isWhitespace })
        while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
        let dot = text.lastIndex(of: ".")
        let end = dot.map { String(text[$0...]) } ?? ""
        // What is long is no ending.
        ending = end.utf8.count <= 12 ? end : ""
        var stem = ending.isEmpty ? text : String(text.dropLast(ending.count))
        while stem.utf8.count + ending.utf8.count > limit { stem.removeLast() }
        self.stem = stem.isEmpty ? "file" : stem
    }

    /// Returns the name, from the second one on with its number.
    func name(_ number: Int) -> String {
        number == 1 ? stem + ending : "\(stem) (\(number))\(ending)"
    }
}
