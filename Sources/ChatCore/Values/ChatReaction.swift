internal import Basics

/// A reaction to a message; each person may give each reaction once.
package enum ChatReaction: String, CaseIterable, Hashable, Sendable {
    case like, love, laugh, wow, sad, thanks

    /// Parses a reaction; nil if it is unknown.
    init?(_ json: JSON?) {
        guard let name = json?.stringValue?.protocolWord else { return nil }
        self.init(rawValue: String(name))
    }
}
