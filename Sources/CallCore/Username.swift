/// A participant's name: trimmed, 1–64 characters, 256 bytes of UTF-8 at most, no control characters.
package struct Username: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64
    /// One character may be of any number of bytes.
    package static let maximumBytes = 256

    package let value: String

    /// With white space around the name; nothing longer is looked at, whatever it is made of.
    private static let maximumText = 4 * maximumBytes

    /// - Throws: `IdentityError.username` for an empty, too long or unprintable name.
    package init(_ text: some StringProtocol) throws(IdentityError) {
        guard text.utf8.count <= Self.maximumText else { throw .username(text.printableBeginning) }
        let head = text.drop(while: \.isWhitespace)
        let end = head.lastIndex { !$0.isWhitespace }.map { head.index(after: $0) } ?? head.startIndex
        let name = head[..<end]
        guard name.utf8.count <= Self.maximumBytes, (1...Self.maximumLength).contains(name.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .username(name.printable(limit: 80)) }
        value = String(name)
    }

    package var description: String { value }
}
