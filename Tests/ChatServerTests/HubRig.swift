import Basics
import ChatCore
import NIOCore

@testable import ChatServer

/// A hub whose operations are performed at once by tables in memory, and the frames that its sockets get.
final class HubRig {
    var hub: ChatHub
    let store: ChatStore
    private(set) var time = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    /// The frames of each socket since they were last read.
    private var frames: [Int: [String]] = [:]
    private(set) var closed: [Int: UInt16] = [:]
    /// The replies of simulated people that have not been made.
    private(set) var replies: [(from: Int, to: Int, after: Duration)] = []
    /// Whether operations wait.
    var isHeld = false
    private var held: [(ChatOperation, ChatTicket)] = []
    private var lastSocket = 0

    init(hasSimulatedPeople: Bool = false, replyDelay: Duration = .seconds(1)) throws {
        store = try ChatStore()
        var settings = ChatHub.Settings()
        settings.replyDelay = replyDelay...replyDelay
        hub = ChatHub(settings, simulated: SimulatedPeople(isEnabled: hasSimulatedPeople, seed: 1))
    }

    func advance(_ time: Duration) { self.time = self.time + TimeAmount(time) }

    /// Opens a socket and forgets the first frames of all.
    @discardableResult
    func open(_ person: Int, with peer: Int?, isExtended: Bool = true, base: String = "") throws -> Int {
        lastSocket += 1
        var seat = ChatSeat(person, with: peer, isExtended: isExtended)
        seat.base = base
        try perform(hub.open(lastSocket, seat, at: time))
        return lastSocket
    }

    func close(_ id: Int) throws { try perform(hub.close(id)) }

    func receive(_ text: String, from id: Int) throws { try perform(hub.receive(text, from: id, at: time)) }

    func receive(_ request: ChatRequest, with peer: Int? = nil, from id: Int) throws {
        try receive(ChatRequest.Envelope(request, with: peer).text, from: id)
    }

    /// Sends a message as an extended client.
    func say(_ id: String, _ text: String = "hi", with peer: Int? = nil, from socket: Int) throws {
        try receive(.message(id: id, text: text, media: nil, replyTo: nil), with: peer, from: socket)
    }

    func reply() throws {
        for reply in replies { try perform(hub.reply(from: reply.from, to: reply.to)) }
    }

    func drawSimulated() throws { try perform(hub.drawSimulated(at: time)) }

    func perform(_ effects: [ChatHub.Effect]) throws {
        for effect in effects {
            switch effect {
            case .send(let text, let ids): for id in ids { frames[id, default: []].append(text) }
            case .close(let id, let code):
                closed[id] = code
                try perform(hub.close(id))
            case .perform(let operation, let ticket):
                held.append((operation, ticket))
                if !isHeld { try finish() }
            case .reply(let person, let peer, let delay): replies.append((person, peer, delay))
            }
        }
    }

    /// Performs the operations that wait.
    func finish() throws {
        while !held.isEmpty {
            let (operation, ticket) = held.removeFirst()
            try perform(hub.finish(ticket, store.perform(operation)))
        }
    }

    /// Lets the storage fail for the operations that wait.
    func fail() throws {
        let tickets = held.map(\.1)
        held = []
        try perform(hub.fail(tickets))
    }

    /// Returns the frames of a socket since the last call.
    func take(_ id: Int) -> [String] { frames.removeValue(forKey: id) ?? [] }

    /// Returns the types of a socket's frames since the last call, with the codes of errors.
    func types(_ id: Int) -> [String] {
        take(id).map { frame in
            let json = try? JSON(parsing: frame)
            let type = json?["type"]?.stringValue ?? "?"
            return type == "error" ? "error \(json?["code"]?.stringValue ?? "")" : type
        }
    }

    func forgetFrames() { frames = [:] }
}
