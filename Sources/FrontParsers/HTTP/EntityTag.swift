/// The comparison of entity tags (RFC 9110 §8.8.3).
package enum EntityTag {
    /// Determines whether the values of an `If-None-Match` field contain `*` or the given tag, in its strong
    /// or weak form (RFC 9110 §13.1.2).
    package static func matches(_ tag: String, _ condition: [String]) -> Bool {
        condition.joined(separator: ",").split(separator: ",").contains { item in
            let given = item.withoutOptionalSpace
            return (given.hasPrefix("W/") ? given.dropFirst(2) : given) == tag || given == "*"
        }
    }
}
