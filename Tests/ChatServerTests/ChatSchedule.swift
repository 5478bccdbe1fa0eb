import Basics
import ChatCore
import NIOCore

@testable import ChatServer

/// Two clients and a server in virtual time, whose network, storage and processes fail at random until a moment.
///
/// Conversations are two `ConversationStateMachine`s, the server is a `ChatHub` with tables in memory.
final class ChatSchedule {
    enum Event {
        case user(Int)
        case input(Int, ConversationStateMachine.Input)
        case deadline(Int, ConversationStateMachine.Deadline, serial: Int, process: Int)
        case opened(Link)
        /// A client notices the end of a connection.
        case lost(Link, code: Int?)
        /// A connection of a client arrives at the server.
        case connect(Link)
        case up(Link, String)
        case down(Link, String)
        /// The server notices the end of a connection.
        case closed(Link)
        case commit
        case finish([(ChatTicket, ChatOutcome)], start: Int)
        case fault
        case start
    }

    /// A WebSocket between a client and the server.
    final class Link {
        let client: Int
        let number: Int
        var socket: Int?
        /// Whether frames that were sent still arrive.
        var isUp = true
        var isDown = true
        /// The last arrival of each direction, because frames do not overtake each other.
        var lastUp = 0
        var lastDown = 0

        init(_ client: Int, _ number: Int) { (self.client, self.number) = (client, number) }
    }

    /// The moment in milliseconds after which nothing fails.
    static let faultsEnd = 40_000
    private static let end = 160_000

    var random: SeededGenerator
    private(set) var now = 0
    private var events: [(time: Int, order: Int, event: Event)] = []
    private var order = 0
    private(set) var clients: [ScheduleClient] = []
    private var links: [Int: Link] = [:]
    private let store: ChatStore
    private var hub = ChatHub(simulated: SimulatedPeople(isEnabled: false, seed: 0))
    private var pending: [(ChatOperation, ChatTicket)] = []
    private var isCommitting = false
    /// The number of starts of the server; results of a former one are lost.
    private var starts = 0
    private var isServerUp = true
    private var lastSocket = 0

    init(seed: UInt64, _ store: ChatStore) {
        random = SeededGenerator(seed: seed)
        self.store = store
        let first = 100_000 + Int(seed) * 2
        let isPlain = chance(0.3)
        for index in 0...1 {
            let (own, peer) = (first + index, first + 1 - index)
            let client = ScheduleClient(own, peer, isPlain: isPlain && index == 1, seed: seed + UInt64(index))
            clients.append(client)
        }
    }

    func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private var isFaulty: Bool { now < Self.faultsEnd }

    // MARK: Events

    private func add(_ delay: Int, _ event: Event) {
        order += 1
        let entry = (time: now + delay, order: order, event: event)
        var (low, high) = (0, events.count)
        // The next event is the last one.
        while low < high {
            let middle = (low + high) / 2
            let isLater = (events[middle].time, events[middle].order) > (entry.time, entry.order)
            (low, high) = isLater ? (middle + 1, high) : (low, middle)
        }
        events.insert(entry, at: low)
    }

    /// Runs the schedule, and returns what is wrong at its end.
    func run() throws -> [String] {
        for client in 0...1 {
            add(number(0...3000), .input(client, .start))
            for _ in 0..<number(1...2) { add(number(0...Self.faultsEnd + 5000), .user(client)) }
        }
        for _ in 0..<number(0...7) { add(number(0...Self.faultsEnd), .fault) }
        while let (time, _, event) = events.popLast(), time < Self.end {
            now = time
            try handle(event)
        }
        return try problems()
    }

    private func handle(_ event: Event) throws {
        switch event {
        case .user(let client): use(client)
        case .input(let client, let input): handle(input, client)
        case .deadline(let client, let deadline, let serial, let process):
            guard process == clients[client].process else { return }
            handle(.deadline(deadline, serial: serial), client)
        case .opened(let link):
            if clients[link.client].link === link { handle(.opened(connection: link.number), link.client) }
        case .lost(let link, let code):
            guard clients[link.client].link === link else { return }
            clients[link.client].link = nil
            handle(.lost(.network("lost"), code: code, connection: link.number), link.client)
        case .connect(let link): connect(link)
        case .up(let link, let text):
            guard link.isUp, let socket = link.socket else { return }
            perform(hub.receive(text, from: socket, at: deadline))
            // A message that is sent again is stored once.
            if clients[link.client].isPlain == false, isFaulty, chance(0.05) {
                perform(hub.receive(text, from: socket, at: deadline))
            }
        case .down(let link, let text):
            guard link.isDown, clients[link.client].link === link else { return }
            handle(.frame(text, connection: link.number), link.client)
        case .closed(let link):
            guard let socket = link.socket else { return }
            (link.socket, links[socket]) = (nil, nil)
            perform(hub.close(socket))
        case .commit: try commit()
        case .finish(let outcomes, let start):
            guard start == starts else { return }
            for (ticket, outcome) in outcomes { perform(hub.finish(ticket, outcome)) }
            isCommitting = false
            commitLater()
        case .fault: fail()
        case .start: isServerUp = true
        }
    }

    private var deadline: NIODeadline { .uptimeNanoseconds(UInt64(now + 1_000_000) * 1_000_000) }

    // MARK: Clients

    /// Lets a user send some messages, or leave the screen for a while.
    private func use(_ client: Int) {
        for _ in 0..<(chance(0.15) ? number(15...30) : number(1...3)) {
            handle(clients[client].newMessage(at: now), client)
        }
        guard isFaulty, chance(0.3) else { return }
        handle(.stop, client)
        add(number(1...15_000), .input(client, .start))
    }

    private func handle(_ input: ConversationStateMachine.Input, _ client: Int) {
        for effect in clients[client].machine.handle(input) {
            switch effect {
            case .connect(let number):
                let link = Link(client, number)
                clients[client].link = link
                add(self.number(1...200), .connect(link))
            case .disconnect(let number):
                guard let link = clients[client].link, link.number == number else { continue }
                link.isDown = false
                clients[client].link = nil
                // What was sent still arrives, even if another connection is faster.
                add(max(link.lastUp - now, 0) + self.number(1...300), .closed(link))
            case .send(let text, let number):
                guard let link = clients[client].link, link.number == number else { continue }
                link.lastUp = max(link.lastUp, now + self.number(1...(isFaulty ? 400 : 50)))
                add(link.lastUp - now, .up(link, text))
            case .startDeadline(let deadline, let span, let serial):
                let time = Int(span / .milliseconds(1))
                let process = clients[client].process
                add(time, .deadline(client, deadline, serial: serial, process: process))
            case .keep(let outbox): clients[client].kept = outbox
            case .report: break
            }
        }
    }

    // MARK: Server

    private func connect(_ link: Link) {
        guard clients[link.client].link === link else { return }
        guard isServerUp else { return add(20, .lost(link, code: nil)) }
        lastSocket += 1
        link.socket = lastSocket
        links[lastSocket] = link
        add(5, .opened(link))
        link.lastDown = now + 5
        let client = clients[link.client]
        let seat = ChatSeat(client.own, with: client.peer, isExtended: !client.isPlain)
        perform(hub.open(lastSocket, seat, at: deadline))
    }

    private func perform(_ effects: [ChatHub.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let text, let sockets):
                for link in sockets.compactMap({ links[$0] }) {
                    link.lastDown = max(link.lastDown, now + number(1...(isFaulty ? 400 : 50)))
                    add(link.lastDown - now, .down(link, text))
                }
            case .close(let socket, let code):
                guard let link = links.removeValue(forKey: socket) else { continue }
                link.socket = nil
                let delay = max(link.lastDown - now, 0) + 1
                add(delay, .lost(link, code: Int(code)))
                perform(hub.close(socket))
            case .perform(let operation, let ticket):
                pending.append((operation, ticket))
                commitLater()
            case .reply: break
            }
        }
    }

    private func commitLater() {
        guard !isCommitting, !pending.isEmpty else { return }
        isCommitting = true
        // A slow disk.
        add(isFaulty && chance(0.1) ? number(100...4000) : number(1...20), .commit)
    }

    private func commit() throws {
        guard isServerUp, isCommitting else { return }
        guard !isFaulty || !chance(0.02) else {
            let tickets = pending.map(\.1)
            (pending, isCommitting) = ([], false)
            return perform(hub.fail(tickets))
        }
        let batch = pending.prefix(number(1...50))
        pending.removeFirst(batch.count)
        let outcomes = try store.performAll(batch.map(\.0))
        // A restart may come between the commit and its answers.
        add(number(1...10), .finish(Array(zip(batch.map(\.1), outcomes)), start: starts))
    }

    // MARK: Faults

    private func fail() {
        let client = number(0...1)
        switch number(0...4) {
        case 0: restart()
        case 1: crash(client)
        default:
            guard let link = clients[client].link else { return }
            // Nothing more arrives in one direction or both, and each side notices that at its own time.
            let (isUp, isDown) = (chance(0.4), chance(0.4))
            link.isUp = isUp && !clients[client].isPlain
            link.isDown = isDown
            add(number(1...12_000), .lost(link, code: nil))
            add(number(1...20_000), .closed(link))
        }
    }

    /// Loses everything of the server that is not stored.
    private func restart() {
        starts += 1
        (isServerUp, isCommitting, pending) = (false, false, [])
        for link in links.values.sorted(by: { $0.client < $1.client }) {
            link.socket = nil
            add(number(1...3000), .lost(link, code: nil))
        }
        links = [:]
        hub = ChatHub(simulated: SimulatedPeople(isEnabled: false, seed: 0))
        add(number(1...5000), .start)
    }

    /// Loses everything of a client that is not kept.
    private func crash(_ client: Int) {
        if let link = clients[client].link { add(number(1...3000), .closed(link)) }
        clients[client].link?.isDown = false
        if clients[client].isPlain { clients[client].link?.isUp = false }
        clients[client].link = nil
        clients[client].restart()
        add(number(1...5000), .input(client, .start))
    }

    // MARK: End

    private func problems() throws -> [String] {
        let pair = ChatPair(clients[0].own, clients[1].own)
        let stored = try store.write { try $0.page(pair, before: nil, limit: 1000) }.messages
        return clients.flatMap { $0.problems(stored) }
    }
}
