import TextModel

/// Helpers that write a field as its text with `|` at the caret, or `[` at the anchor and `|` at the head.
extension TextEditing {
    /// A field from such a string.
    init(marks: String, rules: TextRules = TextRules(isMultiline: true)) {
        let text = marks.filter { $0 != "|" && $0 != "[" }
        func offset(of mark: Character) -> Int? {
            marks.firstIndex(of: mark).map {
                String(marks[..<$0].filter { $0 != "|" && $0 != "[" }).utf8.count
            }
        }
        self.init(text, rules: rules)
        let head = TextPosition(offset(of: "|") ?? text.utf8.count)
        select(TextSelection(anchor: offset(of: "[").map { TextPosition($0) } ?? head, head: head))
    }

    /// The field as such a string.
    var marks: String {
        var bytes = Array(text.utf8)
        var marks = [(selection.head.offset, UInt8(ascii: "|"))]
        if !selection.isEmpty { marks.append((selection.anchor.offset, UInt8(ascii: "["))) }
        for (offset, mark) in marks.sorted(by: { $0.0 > $1.0 }) { bytes.insert(mark, at: offset) }
        return String(decoding: bytes, as: UTF8.self)
    }

    var layout: MonospacedLayout { MonospacedLayout(displayed) }

    /// Returns the result of an edit.
    func after(_ edit: (inout Self) -> Void) -> String {
        var field = self
        edit(&field)
        return field.marks
    }

    /// Types each character by itself.
    mutating func type(_ text: String) {
        for character in text { insert(String(character)) }
    }
}
