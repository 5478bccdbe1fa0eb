extension Substring {
    /// The text without the optional white space around a list's items (RFC 9110 §5.6.3).
    var withoutOptionalSpace: Substring {
        let isSpace = { (letter: Character) in letter == " " || letter == "\t" }
        let head = drop(while: isSpace)
        return head[..<(head.lastIndex { !isSpace($0) }.map(head.index(after:)) ?? head.startIndex)]
    }
}
