import AppFlow
import Basics
import ChatCore
import Testing

@testable import callrunner

@Suite("Output of the chat")
struct ChatOutputTests {
    @Test("Blanks in a message or a name cannot move part of it to a separate line")
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
