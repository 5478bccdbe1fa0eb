/// The limits of the chat for requests, stored data and lists.
package enum ChatLimits {
    /// The maximum length of a message's text in characters.
    package static let longestText = 4000
    /// The maximum length of a message's text in bytes of UTF-8.
    package static let longestTextBytes = 16_384
    /// The maximum length of a search query in bytes of UTF-8.
    static let longestQueryBytes = 800
    /// The maximum length of a WebSocket message in bytes.
    package static let longestFrame = 65_536
    /// The average number of WebSocket messages that a person may send per second.
    package static let framesPerSecond = 10
    /// The maximum number of WebSocket messages that a person may send in a burst.
    package static let burst = 20
    /// The average number of bytes that a person's messages may add to the storage per second, including a fixed
    /// overhead for each message.
    package static let storedPerSecond = 4000
    /// The maximum number of bytes that a person's messages may add to the storage in a burst.
    package static let storedAtOnce = 4_000_000
    /// The maximum number of open sockets of a person.
    package static let socketsPerPerson = 8
    /// The maximum length of a file in bytes.
    package static let largestFile = 20_000_000
    /// The maximum total size of all files of a server in bytes.
    package static let allFiles = 1_000_000_000
    /// The maximum total size of a person's files in bytes.
    package static let filesOfPerson = 200_000_000
    /// The maximum number of files of a person.
    package static let fileCountOfPerson = 10_000
    /// The maximum number of bytes that are queued for a client that reads slowly.
    package static let waitingBytes = 1_000_000
    /// The default number of messages on a page of history.
    package static let page = 50
    /// The maximum number of messages on a page of history.
    package static let longestPage = 100
    /// The number of messages in the history for clients of the original protocol.
    package static let plainHistory = 200
    /// The maximum number of messages per conversation that a client stores.
    package static let kept = 200
    /// The room numbers for calls; JSON represents these integers exactly (RFC 8259 §6).
    package static let rooms = 1...9_007_199_254_740_991
    /// The maximum number of messages in the outbox.
    package static let outbox = 200
    /// The maximum length of a URL in bytes.
    static let longestURL = 2048

    /// The largest unread count; further messages are not counted.
    package static let unread = 999
    /// The maximum number of conversations in a list.
    package static let conversations = 500
    /// The maximum number of people whose presence a client stores.
    static let presences = 10_000
    /// The maximum length of the last message's text in a list of conversations, in Unicode scalars.
    package static let preview = 120
    /// The maximum number of a conversation's messages that a client has in memory; older ones can be loaded again.
    static let loaded = 20_000

    /// Determines whether a text is within the limits of a message.
    package static func allows(_ text: String) -> Bool {
        // Counting characters is slow, and unnecessary if there are few enough bytes.
        text.utf8.count <= longestText
            || text.utf8.count <= longestTextBytes && text.count <= longestText
    }

    /// Determines whether a text is a valid message ID: 1 to 64 letters, digits, `-` or `_`.
    package static func isMessageID(_ id: String) -> Bool { isName(id) }

    package static func isMediaID(_ id: String) -> Bool { isName(id) }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
