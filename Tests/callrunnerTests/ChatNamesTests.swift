import ChatCore
import Testing

@testable import callrunner

@Suite("Names of people on the command line")
struct ChatNamesTests {
    private static let people = [
        ChatPerson(id: 1, name: "Olena Koval"), ChatPerson(id: 2, name: "Olena", username: "olena_k"),
        ChatPerson(id: 3, name: "Taras", username: "Olena"),
        ChatPerson(id: 4, name: "Ivan", username: "ivan"),
        ChatPerson(id: 5, name: "Ivanna"),
    ]

    @Test(
        "A name is found before a username, and both before the beginning of a name",
        arguments: [
            ("olena", 2), ("Olena Koval", 1), (" TARAS ", 3), ("@olena", 3), ("@ivan", 4), ("olena_k", 2),
            ("ivann", 5), ("tar", 3),
        ]
    )
    func found(text: String, id: Int) throws { #expect(try ChatNames.find(text, in: Self.people).id == id) }

    @Test("Nobody and several people are refused, and the hint lists a few of them")
    func refused() {
        let nobody = #expect(throws: Failure.self) { try ChatNames.find("@nobody", in: Self.people) }
        #expect(nobody?.code == "chat-nobody")
        let several = #expect(throws: Failure.self) { try ChatNames.find("o", in: Self.people) }
        #expect(several?.code == "chat-ambiguous")
        let many = (1...30).map { ChatPerson(id: $0, name: "Person \($0)") }
        let failure = #expect(throws: Failure.self) { try ChatNames.find("person", in: many) }
        #expect(failure?.hint?.contains("and 22 more") == true)
    }
}
