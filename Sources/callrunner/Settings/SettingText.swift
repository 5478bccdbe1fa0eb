internal import Basics
internal import CallCore
internal import Glibc
internal import SocketIOClient

/// Parsers for values on the command line, in the environment and in the configuration file.
enum SettingText {
    /// The error for an invalid value; the description states which values are valid.
    struct Problem: Error, Hashable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Parses a duration, as in `10s` or `1m30s`.
    static func duration(_ text: String) throws -> Duration { try DurationText(text).duration }

    static func truth(_ text: String) throws -> Bool {
        switch text.lowercased() {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default: throw Problem("“\(text)” is neither true nor false")
        }
    }

    /// Creates a parser for whole numbers in `range`.
    static func number(in range: ClosedRange<Int>) -> (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                let limit =
                    range.upperBound == .max
                    ? "from \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
                throw Problem("“\(text)” is not a whole number \(limit)")
            }
            return number
        }
    }

    /// Parses the URL of a web or WebSocket server.
    static func serverURL(_ text: String) throws -> String {
        guard !text.contains("#") else {
            throw Problem(
                "the address has a fragment (“#” and the text after it), which is never sent to a server; leave it out"
            )
        }
        let isURL = (try? SocketEndpoint(url: text, path: "/", query: [:])) != nil
        guard isURL, !text.contains(where: \.isWhitespace) else {
            throw Problem(
                "“\(text.withoutURLSecrets)” is not an address; write http://HOST:PORT or https://HOST"
            )
        }
        guard !text.contains("@") else {
            throw Problem(
                "the address contains a user name, which has no effect; to authenticate, give a token in CALLRUNNER_TOKEN"
            )
        }
        return text
    }

    /// Parses a room number; the error message uses the terms of the command line, not those of the protocol.
    static func room(_ text: String) throws -> RoomID {
        do { return try RoomID(text) } catch {
            throw Problem("“\(text)” is not a whole number from 1 to \(RoomID.range.upperBound)")
        }
    }

    /// Parses the path of a file, which must be readable.
    static func readableFile(_ text: String) throws -> String {
        guard access(text, R_OK) == 0 else {
            throw Problem("“\(text)” cannot be read: \(String(cString: strerror(errno)))")
        }
        let folder = open(text, O_RDONLY | O_DIRECTORY)
        guard folder < 0 else {
            close(folder)
            throw Problem("“\(text)” is a folder")
        }
        return text
    }
}
