package import LiveCore

/// A stream or file that Home offers to play.
package struct LiveItem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The test video, which is installed with the program.
        case sample
        /// A recording that the user has made.
        case recording
    }

    package let kind: Kind
    package let address: LiveAddress
    /// The name of a recording's file, without its folder; empty for the test video, whose name is translated.
    package let name: String
    /// The time at which a recording began, as a text for people, such as `2026-01-31 12:00 UTC`.
    package let date: String

    package init(_ kind: Kind, _ address: LiveAddress, name: String = "", date: String = "") {
        (self.kind, self.address, self.name, self.date) = (kind, address, name, date)
    }
}
