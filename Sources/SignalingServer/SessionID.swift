internal import SocketIO

/// Ids as the official server makes them: 20 characters of Base64 for URLs, not to be guessed.
enum SessionID {
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<15).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return String(
            Base64.encode(bytes).map { character in
                switch character {
                case "+": "-"
                case "/": "_"
                default: character
                }
            }
        )
    }
}
