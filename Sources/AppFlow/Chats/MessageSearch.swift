internal import Basics
package import ChatCore

/// The search for messages in all conversations, of which the server answers one at a time.
package struct MessageSearch: Hashable, Sendable {
    /// The least number of characters that are searched for.
    static let shortest = 2
    /// The maximum length of a query in characters, and in bytes of UTF-8.
    private static let longest = (characters: 200, bytes: 800)

    /// The words that the user looks for; empty if none are searched for.
    package private(set) var wanted = ""
    /// The messages with words that begin as the wanted ones, the newest first; nil before the first answer.
    package private(set) var found: [ChatMessage]?
    /// The words that `found` answers.
    package private(set) var answered = ""
    /// The reason why there is no answer.
    package private(set) var failure: ChatError?
    /// The words that the server was asked for, and has not answered.
    private(set) var asked: String?
    /// Whether the server can be asked.
    private var isOpen = false
    /// Whether the server has found the last request too early, so that the next one waits.
    private(set) var isPaused = false

    package init() {}

    /// Whether an answer is on its way.
    package var isSearching: Bool { isShown && failure == nil && found == nil }

    /// Whether messages are searched for, by a server that can.
    package var isShown: Bool { !wanted.isEmpty && (isOpen || found != nil) }

    /// Changes what is looked for; returns the words to ask the server for.
    mutating func want(_ text: String) -> String? {
        let words = text.trimmed
        let fits = words.count <= Self.longest.characters && words.utf8.count <= Self.longest.bytes
        wanted = words.count >= Self.shortest && fits ? words : ""
        // What was refused is asked again.
        if failure != nil { (failure, answered) = (nil, "") }
        // The last answer stays while the next one is on its way.
        if wanted.isEmpty { (found, answered) = (nil, "") }
        return next()
    }

    /// Follows the connection by which the server is asked; returns the words to ask for.
    mutating func follow(isOpen: Bool) -> String? {
        self.isOpen = isOpen
        if !isOpen { (asked, isPaused) = (nil, false) }
        return next()
    }

    /// Takes an answer; returns the words to ask for next.
    mutating func receive(_ query: String, _ messages: [ChatMessage]) -> String? {
        guard query == asked else { return nil }
        asked = nil
        if query == wanted { (found, answered, failure) = (messages, query, nil) }
        return next()
    }

    /// Takes a refusal; returns nil if it is not that of a search, else whether to ask again after a pause.
    mutating func fail(_ error: ChatError) -> Bool? {
        guard let query = asked else { return nil }
        asked = nil
        if error == .notConnected {
            // It is made by the next connection.
            isOpen = false
        } else if case .refused("busy", _) = error {
            isPaused = true
        } else if case .refused("too_fast", _) = error {
            isPaused = true
        } else if query == wanted {
            (failure, found, answered) = (error, nil, query)
        }
        return isPaused
    }

    /// Goes on after a refusal, unless a pause is to end first; returns the words to ask for.
    mutating func resume(afterPause isOver: Bool) -> String? {
        if isOver { isPaused = false }
        return next()
    }

    private mutating func next() -> String? {
        guard isOpen, !isPaused, asked == nil, !wanted.isEmpty, wanted != answered else { return nil }
        asked = wanted
        return wanted
    }
}
