import Testing

@testable import GLibKit

@Suite("Mailbox: a bounded queue with an asynchronous reader", .timeLimit(.minutes(4)))
struct MailboxTests {
    @Test("Elements arrive in order, and the oldest ones beyond the capacity are dropped")
    func capacity() async {
        let mailbox = Mailbox<Int>(capacity: 3)
        for number in 1...5 { mailbox.send(number) }
        mailbox.finish()
        mailbox.send(6)
        #expect(await mailbox.reduce(into: []) { $0.append($1) } == [3, 4, 5])
    }

    @Test("A reader that is isolated to an actor receives each element on that actor")
    func waiting() async {
        let (mailbox, echo) = (Mailbox<Int>(capacity: 1), AsyncStream.makeStream(of: Int.self))
        let reader = Task { @LoopActor in
            for await number in mailbox {
                LoopActor.shared.preconditionIsolated()
                echo.continuation.yield(number)
            }
        }
        var answers = echo.stream.makeAsyncIterator()
        for number in 1...100 {
            mailbox.send(number)
            #expect(await answers.next() == number)
        }
        mailbox.finish()
        await reader.value
    }

    @Test("Cancellation ends a waiting reader, and further elements are dropped")
    func cancellation() async {
        let mailbox = Mailbox<Int>(capacity: 1)
        let reader = Task { await mailbox.reduce(0, +) }
        reader.cancel()
        #expect(await reader.value == 0)
        mailbox.send(1)
        #expect(await mailbox.reduce(0, +) == 0)
    }
}
