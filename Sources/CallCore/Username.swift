/// A participant's name: trimmed, 1–64 characters, 256 bytes of UTF-8 at most, no control characters.
package struct Username: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64
    /// One character may be of any number of bytes.
    package static let maximumBytes = 256

    package let value: String

    /// - Throws: `IdentityError.username` for an empty, too long or unprintable name.
    package init(_ text: some StringProtocol) throws(IdentityError) {
        let head = text.drop(while: \.isWhitespace)
        let end = head.lastIndex { !$0.isWhitespace }.map { head.index(after: $0) } ?? head.startIndex
        let name = head[..<end]
        let isPrintable = name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control
        }
        guard name.utf8.count <= Self.maximumBytes, (1...Self.maximumLength).contains(name.count), isPrintable
        else { throw .username(name.printable(limit: 80)) }
        value = String(name)
    }

    package var description: String { value }
}
