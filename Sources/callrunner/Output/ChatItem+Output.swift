internal import Basics
internal import ChatCore
internal import Glibc

extension ChatItem {
    /// The fields of the message for `--json`.
    var fields: JSONObject {
        var fields = message.json.objectValue ?? [:]
        fields["mine"] = .bool(isMine)
        return fields
    }

    /// The human-readable form of the message: the time, the sender and the text, on one or more lines.
    var text: String {
        let head = "\(Self.time(message.time)) \(isMine ? "›" : " ") "
        let name = isMine ? "You" : TerminalText(message.from).narrow
        let body = Self.body(of: message)
        let margin = String(repeating: " ", count: TerminalText(head).columns + 2)
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText(String($0)).narrow }
        return "\(head)\(name): \(lines.joined(separator: "\n\(margin)"))\n"
    }

    private static func body(of message: ChatMessage) -> String {
        guard !message.isDeleted else { return "(deleted)" }
        var parts = message.text.isEmpty ? [] : [message.text]
        if let media = message.media { parts.append("[\(media.type), \(media.bytes) bytes] \(media.url)") }
        return parts.joined(separator: "\n") + (message.isEdited ? " (edited)" : "")
    }

    /// The local time of a message, preceded by the date unless it was sent today.
    private static func time(_ time: ChatTime) -> String {
        func parts(_ seconds: Int64) -> tm {
            var (moment, parts) = (time_t(seconds), tm())
            localtime_r(&moment, &parts)
            return parts
        }
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (then, now) = (parts(time.microseconds / 1_000_000), parts(Int64(Glibc.time(nil))))
        let clock = "\(digits(then.tm_hour)):\(digits(then.tm_min))"
        guard (then.tm_year, then.tm_yday) != (now.tm_year, now.tm_yday) else { return clock }
        return "\(then.tm_year + 1900)-\(digits(then.tm_mon + 1))-\(digits(then.tm_mday)) \(clock)"
    }
}
