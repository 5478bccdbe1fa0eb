internal import Basics

/// A room number from 1 to 9007199254740991, the largest safe integer of JavaScript.
package struct RoomID: Hashable, Sendable, CustomStringConvertible {
    package static let range = 1...9_007_199_254_740_991

    /// The maximum length of the text in bytes, including leading zeros.
    private static let maximumLength = 256

    package let value: Int

    /// Creates a room number from an integer.
    ///
    /// - Throws: `IdentityError.roomID` for a number out of `range`.
    package init(_ value: Int) throws(IdentityError) {
        guard Self.range.contains(value) else { throw .roomID("\(value)") }
        self.value = value
    }

    /// Parses a room number.
    ///
    /// - Throws: `IdentityError.roomID` for anything but ASCII digits that form a number in `range`.
    package init(_ text: some StringProtocol) throws(IdentityError) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text)
        else { throw .roomID(text.printableBeginning) }
        try self.init(value)
    }

    package var description: String { String(value) }
}
