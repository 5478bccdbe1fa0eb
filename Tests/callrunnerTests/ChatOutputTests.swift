import AppFlow
import Basics
import ChatCore
import Testing

@testable import callrunner

@Suite("Output of the chat")
struct ChatOutputTests {
    @Test("Blanks do not move a part of a message or of a name to a line of its own")
    func forgedLine() {
        let blanks = String(repeating: "\u{A0}", count: 80)
        let forged = "\(blanks)21:58 › You: I owe you"
        let time = ChatTime(microseconds: 0)
        for (name, text) in [("Eve", "ok\(forged)"), ("Eve\(forged)", "ok")] {
            let message = ChatMessage(from: name, to: "Ann", text: text, time: time)
            let line = ChatItem(key: "1", message: message, isMine: false).text
            #expect(!line.contains(String(repeating: "\u{A0}", count: 5)))
            #expect(line.contains("21:58 › You: I owe you"))
        }
    }
}
