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
        let shownText = text.printable(limit: 100)
        let hint = "give one of: \(list)\(more)"
        throw candidates.isEmpty
            ? nobody("name “\(shownText)”", hint: shown.isEmpty ? listHint : hint)
            : Failure(
                code: "chat-ambiguous",
                message: "several people have a name like “\(shownText)”",
                hint: hint,
                exit: RunStatus.timedOut.rawValue
            )
    }

    private static let listHint = "`callrunner users` lists the people"

    /// Creates the failure of a command about a person who does not exist.
    static func nobody(_ description: String, hint: String = listHint) -> Failure {
        Failure(
            code: "chat-nobody",
            message: "nobody has the \(description)",
            hint: hint,
            exit: RunStatus.timedOut.rawValue
        )
    }
}
