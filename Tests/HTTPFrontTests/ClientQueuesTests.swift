import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPFront

@Suite("Queues of slow clients")
struct ClientQueuesTests {
    private final class Queue: ClientQueue {
        var queueSeat = ClientQueueSeat()
        let client: ClientAddress?
        private(set) var isDropped = false

        init(_ address: String) throws {
            client = ClientAddress(try SocketAddress(ipAddress: address, port: 1))
        }

        func lookAtQueue() {}

        func dropQueue(_ reason: SlowClient) { isDropped = true }
    }

    private let loop = EmbeddedEventLoop()

    /// Notes queues of these addresses and sizes, one a second; returns which of them are dropped for a budget of 1000.
    private func dropped(_ policy: ClientQueues.Policy, _ sizes: [(String, Int)]) throws -> [Bool] {
        let records = ClientQueues(budget: 1000, policy, timeout: .hours(1), eventLoop: loop)
        let queues = try sizes.map { address, size in
            let queue = try Queue(address)
            records.note(queue, bytes: size)
            loop.advanceTime(by: .seconds(1))
            return queue
        }
        let dropped = queues.map(\.isDropped)
        let rest = zip(queues, sizes).filter { !$0.0.isDropped }.reduce(0) { $0 + $1.1.1 }
        #expect(records.total == rest && rest <= 1000)
        for queue in queues { records.remove(queue) }
        loop.advanceTime(by: .seconds(2))
        return dropped
    }

    @Test("Above the output budget, the largest queues are dropped until an eighth of the budget is free")
    func largest() throws {
        let sizes = [100, 300, 200, 250, 150, 1].map { ("192.0.2.1", $0) }
        #expect(try dropped(.largest, sizes) == [false, true, false, false, false, false])
        let more = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109].map { ("192.0.2.1", $0) }
        #expect(try dropped(.largest, more).count { $0 } == 2)
    }

    @Test("When input exceeds its budget, the oldest queues of the client with the most bytes are dropped")
    func heaviest() throws {
        let honest = ("192.0.2.1", 300)
        let sizes = [honest] + [100, 200, 300, 101].map { ("192.0.2.2", $0) }
        #expect(try dropped(.slowestOfHeaviest, sizes) == [false, true, true, false, false])
    }

    @Test("The addresses of an IPv6 network count as one client")
    func network() throws {
        let honest = ("2001:db8:1::1", 400)
        let sizes = [honest] + (0..<7).map { ("2001:db8:2:\($0)::1", 100) }
        let expected = [false, true, true, true] + Array(repeating: false, count: 4)
        #expect(try dropped(.slowestOfHeaviest, sizes) == expected)
    }
}
