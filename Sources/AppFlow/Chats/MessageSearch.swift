internal import Basics
package import ChatCore

/// The search for messages in all conversations; the server answers one search at a time.
package struct MessageSearch: Hashable, Sendable {
    /// The minimum number of characters in a query.
    static let shortest = 2
    /// The maximum length of a query in characters, and in bytes of UTF-8.
    private static let longest = (characters: 200, bytes: 800)

    /// The query that the user has entered; empty if it is not valid.
    package private(set) var wanted = ""
    /// The messages with words that begin with those of the query, the newest first; nil before the first answer.
    package private(set) var found: [ChatMessage]?
    /// The query to which `found` or `failure` belongs.
    package private(set) var answered = ""
    /// The reason why the search has failed.
    package private(set) var failure: ChatError?
    /// The query whose answer from the server is pending.
    private(set) var asked: String?
    /// Whether the server can be asked.
    private var isOpen = false
    /// Whether the next query waits, because the server has refused the last one as too early or was busy.
    private(set) var isPaused = false

    package init() {}

    /// Whether the first answer is pending.
    package var isSearching: Bool { isShown && failure == nil && found == nil }

    /// Whether the search is shown: there is a query, and the server supports searches or has already answered.
    package var isShown: Bool { !wanted.isEmpty && (isOpen || found != nil) }

    /// Changes the query; returns the query to send now, if any.
    mutating func want(_ text: String) -> String? {
        let words = text.trimmed
        let fits = words.count <= Self.longest.characters && words.utf8.count <= Self.longest.bytes
        wanted = words.count >= Self.shortest && fits ? words : ""
        // A query that failed is sent again.
        if failure != nil { (failure, answered) = (nil, "") }
        // The last answer remains visible until the next one arrives.
        if wanted.isEmpty { (found, answered) = (nil, "") }
        return next()
    }

    /// Updates whether the server can be asked; returns the query to send now, if any.
    mutating func follow(isOpen: Bool) -> String? {
        self.isOpen = isOpen
        if !isOpen { (asked, isPaused) = (nil, false) }
        return next()
    }

    /// Handles an answer; returns the query to send next, if any.
    mutating func receive(_ query: String, _ messages: [ChatMessage]) -> String? {
        guard query == asked else { return nil }
        asked = nil
        if query == wanted { (found, answered, failure) = (messages, query, nil) }
        return next()
    }

    /// Handles an error from the server.
    ///
    /// - Returns: Whether to send the search again after a pause; nil if no answer to a search is pending.
    mutating func fail(_ error: ChatError) -> Bool? {
        guard let query = asked else { return nil }
        asked = nil
        if error == .notConnected {
            // The next connection sends the query.
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

    /// Continues after a refusal, unless a pause must end first; returns the query to send now, if any.
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
