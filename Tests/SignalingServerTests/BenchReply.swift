/// An HTTP answer as it came.
struct BenchReply {
    let status: Int
    /// By their names in lower case.
    let headers: [String: String]
    let body: String
    /// Bytes of head and body.
    let length: Int

    /// Takes an answer off the beginning of a text; nil where it is not there whole.
    init?(_ text: String) {
        // By scalars: `\r\n` is one character.
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
