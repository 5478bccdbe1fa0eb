internal import AppFlow
internal import Basics
internal import ChatCore

/// The search for a person by a name that the user has typed.
enum ChatNames {
    /// Finds the only person with the name or, if nobody has it, the only one whose name begins with it, ignoring case.
    ///
    /// - Throws: `Failure` if there is no such person or more than one; its hint lists the candidates.
    static func find(_ text: String, in people: [ChatPerson]) throws(Failure) -> ChatPerson {
        let name = text.trimmed.lowercased()
        let exact = people.filter { $0.name.lowercased() == name }
        let candidates = exact.isEmpty ? people.filter { $0.name.lowercased().hasPrefix(name) } : exact
        if candidates.count == 1, let person = candidates.first { return person }
        let shown = candidates.isEmpty ? people : candidates
        let list = shown.prefix(20).map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
        let more = shown.count > 20 ? " and \(shown.count - 20) more" : ""
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
