internal import GLibKit

/// The names for saving a file, also one that another user has named.
struct SavedName: Hashable {
    private let stem: String
    private let ending: String

    /// Creates the names from an original name, without path separators and leading points, of at most `limit` bytes.
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
        // A long suffix is not considered an extension.
        ending = end.utf8.count <= 12 ? end : ""
        var stem = ending.isEmpty ? text : String(text.dropLast(ending.count))
        while stem.utf8.count + ending.utf8.count > limit { stem.removeLast() }
        self.stem = stem.isEmpty ? "file" : stem
    }

    /// Returns the name with a number, such as `photo (2).jpg`; number 1 is not shown.
    func name(_ number: Int) -> String {
        number == 1 ? stem + ending : "\(stem) (\(number))\(ending)"
    }

    /// Moves a file to the first of these names that is free in a folder; with `isSynced`, its content is on the disk
    /// before.
    ///
    /// - Returns: The new path.
    /// - Throws: `FileMove.Failure`, never `.taken`.
    func move(_ file: String, to folder: String, isSynced: Bool = false) throws(FileMove.Failure) -> String {
        var number = 1
        while true {
            let path = "\(folder)/\(name(number))"
            do throws(FileMove.Failure) {
                try FileMove.move(file, to: path, isSynced: isSynced)
                return path
            } catch {
                guard error == .taken else { throw error }
            }
            number += 1
        }
    }
}
