/// A reaction to a message; each person may give one of each.
package enum ChatReaction: String, CaseIterable, Hashable, Sendable {
    case like, love, laugh, wow, sad, thanks
}
