internal import Basics
internal import ChatCore
internal import GRDB

extension ChatTables {
    /// A conversation of a person, without its messages.
    struct ExportedConversation {
        let peer: Int
        let json: JSONObject
    }

    /// Returns the people whom a person has blocked or reported.
    func choices(of person: Int) throws -> JSONObject {
        let blocked = try Int.fetchAll(
            statement("SELECT blocked FROM chat_block WHERE person = ? ORDER BY blocked"),
            arguments: [person]
        )
        let reports = try Row.fetchAll(
            statement("SELECT reported, reason, time FROM chat_report WHERE person = ? ORDER BY number"),
            arguments: [person]
        )
        return [
            "blocked": .array(blocked.map { .int($0) }),
            "reports": .array(
                reports.map { row in
                    [
                        "userId": .int(row[0]), "reason": .string(row[1]),
                        "timestamp": .string(ChatTime(microseconds: row[2]).description),
                    ]
                }
            ),
        ]
    }

    /// Returns the conversation of a person with the lowest ID of the other person above `peer`; nil if there is none.
    func conversation(of person: Int, after peer: Int) throws -> ExportedConversation? {
        let row = try Row.fetchOne(
            statement(
                """
                SELECT peer, read FROM chat_member WHERE person = ? AND peer > ? AND last > 0
                ORDER BY peer LIMIT 1
                """
            ),
            arguments: [person, peer]
        )
        guard let row else { return nil }
        let (peer, read): (Int, Int64) = (row[0], row[1])
        return ExportedConversation(
            peer: peer,
            json: [
                "withId": .int(peer), "name": .string(try name(of: peer)),
                "readId": try id(of: read).map { .string($0) } ?? .null,
            ]
        )
    }

    /// Returns the messages of a conversation after a number, in order, and the number of the last of them.
    ///
    /// There are at most `limit` messages, and no more than fit into one answer; none if `number` is the last one.
    func messages(
        of pair: ChatPair,
        after number: Int64,
        limit: Int
    ) throws -> (messages: [ChatMessage], last: Int64) {
        let found = Self.fitting(
            try messages(
                "low = ? AND high = ? AND number > ? ORDER BY number LIMIT ?",
                [pair.low, pair.high, number, limit]
            )
        )
        let last = try found.last?.id.flatMap { try self.number(of: $0, in: pair) }
        return (found, last ?? number)
    }

    /// Returns the IDs of the files that a person has uploaded.
    func files(of person: Int) throws -> [String] {
        try String.fetchAll(statement("SELECT id FROM chat_media WHERE owner = ?"), arguments: [person])
    }
}
