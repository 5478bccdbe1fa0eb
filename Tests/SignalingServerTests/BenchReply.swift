/// A received HTTP response.
struct BenchReply {
    let status: Int
    /// The header fields, by their names in lower case.
    let headers: [String: String]
    let body: String
    /// The length of head and body in bytes.
    let length: Int

    /// Parses the response at the beginning of the text; nil if it is incomplete.
    init?(_ text: String) {
        // Splits by scalars, because Swift combines `\r\n` into one character.
        let parts = text.unicodeScalars.split(separator: "\r\n\r\n".unicodeScalars, maxSplits: 1)
        guard let head = parts.first else { return nil }
        let lines = head.split(separator: "\r\n".unicodeScalars).map(String.init)
        guard text.utf8.count >= head.utf8Count + 4,
            let status = lines[0].split(separator: " ").dropFirst().first
        else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            headers[pair[0].lowercased()] = String(pair[1].drop { $0 == " " })
        }
        let count = headers["content-length"].flatMap { Int($0) } ?? 0
        let start = text.utf8.index(text.utf8.startIndex, offsetBy: head.utf8Count + 4)
        let body = text.utf8[start...].prefix(count)
        guard body.count == count else { return nil }
        self.status = Int(status) ?? 0
        self.headers = headers
        self.body = String(Substring(body))
        length = head.utf8Count + 4 + count
    }
}

extension Substring.UnicodeScalarView {
    fileprivate var utf8Count: Int { Substring(self).utf8.count }
}
