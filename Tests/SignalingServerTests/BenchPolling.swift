import SocketIO
import Testing

@testable import SignalingServer

/// A client that connects to an `EngineBench` with HTTP long polling.
struct BenchPolling {
    let bench: EngineBench
    let sid: String
    let path: String

    /// Opens a session: of Socket.IO at `/socket.io/`, or of plain Engine.IO, which echoes messages.
    init(_ bench: EngineBench, path: String = "/engine.io/", query: String = "") throws {
        let reply = try bench.answer("GET", "\(path)?EIO=4&transport=polling\(query)")
        guard case .open(let handshake) = try EnginePacket(text: reply.body) else {
            throw TestFailure("no handshake")
        }
        self.init(bench, sid: handshake.sid, path: path)
    }

    /// Continues an existing session.
    init(_ bench: EngineBench, sid: String, path: String = "/engine.io/") {
        self.bench = bench
        self.sid = sid
        self.path = path
    }

    var target: String { "\(path)?EIO=4&transport=polling&sid=\(sid)" }

    /// Sends a GET.
    ///
    /// The server may delay its response until it has a packet.
    func get() throws -> BenchLine { try bench.request("GET", target) }

    /// Sends a GET and returns the received packets, or nil if the server does not answer it at once.
    func poll() throws -> [String]? {
        try get().reply()?.packets
    }

    func post(_ body: String, _ headers: [String] = []) throws -> BenchReply {
        try bench.answer("POST", target, headers, body: body)
    }

    /// Sends packets in one POST, and checks that they are accepted.
    func send(_ packets: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let reply = try post(packets.joined(separator: "\u{1E}"))
        #expect(reply.status == 200, sourceLocation: sourceLocation)
        #expect(reply.body == "ok", sourceLocation: sourceLocation)
    }

    /// Checks that the server no longer knows the session's id.
    func expectGone(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let reply = try bench.answer("GET", target)
        #expect(reply.status == 400, sourceLocation: sourceLocation)
        #expect(reply.body == #"{"code":1,"message":"Session ID unknown"}"#, sourceLocation: sourceLocation)
    }

    /// Checks that the session echoes a message.
    ///
    /// No other packet may be queued for the client.
    func expectAlive(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try send("4alive", sourceLocation: sourceLocation)
        let packets = try poll()
        #expect(packets == ["4alive"], sourceLocation: sourceLocation)
    }

    /// Opens a WebSocket for the session.
    func openSocket() throws -> BenchSocket { try BenchSocket(bench, path: path, query: "&sid=\(sid)") }

    /// Opens a WebSocket for the session and exchanges the probe packets of an upgrade.
    func probe(sourceLocation: SourceLocation = #_sourceLocation) throws -> BenchSocket {
        let socket = try openSocket()
        try socket.send("2probe")
        try socket.expect(.text("3probe"), sourceLocation: sourceLocation)
        return socket
    }
}

extension BenchReply {
    /// The Engine.IO packets in the response to a GET.
    var packets: [String] { body.split(separator: "\u{1E}").map(String.init) }
}
