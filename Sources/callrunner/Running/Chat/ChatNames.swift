internal import AppFlow
internal import Basics
internal import ChatCore

/// The search for a person by a name that the user has typed.
enum ChatNames {
    /// The maximum number of people in a hint.
    private static let longestList = 8

    /// Finds the only person with the name, ignoring case.
    ///
    /// If nobody has it, the person with the username is found, which may begin with `@`, or else the only one whose name
    /// begins with it.
    ///
    /// - Throws: `Failure` if there is no such person or more than one; its hint lists the candidates.
    static func find(_ text: String, in people: [ChatPerson]) throws(Failure) -> ChatPerson {
        let name = text.trimmed.lowercased()
        var candidates = people.filter { $0.name.lowercased() == name }
        if candidates.isEmpty {
            let username = name.hasPrefix("@") ? String(name.dropFirst()) : name
            candidates = people.filter { $0.username?.lowercased() == username }
        }
        if candidates.isEmpty { candidates = people.filter { $0.name.lowercased().hasPrefix(name) } }
        if candidates.count == 1, let person = candidates.first { return person }
        let shown = candidates.isEmpty ? people : candidates
        let list = shown.prefix(Self.longestList).map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
        let more = shown.count > Self.longestList ? " and \(shown.count - Self.longestList) more" : ""
        throw Failure(
            code: candidates.isEmpty ? "chat-nobody" : "chat-ambiguous",
            message: candidates.isEmpty
                ? "nobody has the name “\(text.printable(limit: 100))”"
                : "several people have a name like “\(text.printable(limit: 100))”",
            hint: shown.isEmpty ? "`callrunner users` lists the people" : "give one of: \(list)\(more)",
            exit: RunStatus.timedOut.rawValue
        )
    }
}
