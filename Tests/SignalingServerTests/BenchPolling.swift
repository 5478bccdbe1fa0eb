import SocketIO
import Testing

@testable import SignalingServer

/// A polling client of an `EngineBench`.
struct BenchPolling {
    let bench: EngineBench
    let sid: String
    let path: String

    /// Opens a session of plain Engine.IO, which echoes, or of Socket.IO at `/socket.io/`.
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

    /// Sends a GET, which the server may hold.
    func get() throws -> BenchLine { try bench.request("GET", target) }

    /// Polls for packets; nil if the server does not answer at once, in which case the GET is abandoned.
    func poll() throws -> [String]? {
        try get().reply()?.packets
    }

    func post(_ body: String, _ headers: [String] = []) throws -> BenchReply {
        try bench.answer("POST", target, headers, body: body)
    }

    /// Posts packets and checks that they are accepted.
    func send(_ packets: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let reply = try post(packets.joined(separator: "\u{1E}"))
        #expect(reply.status == 200, sourceLocation: sourceLocation)
        #expect(reply.body == "ok", sourceLocation: sourceLocation)
    }

    /// Checks that the session's id is unknown.
    func expectGone(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let reply = try bench.answer("GET", target)
        #expect(reply.status == 400, sourceLocation: sourceLocation)
        #expect(reply.body == #"{"code":1,"message":"Session ID unknown"}"#, sourceLocation: sourceLocation)
    }

    /// Checks that the session echoes a message; its queue has to be empty.
    func expectAlive(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try send("4alive", sourceLocation: sourceLocation)
        let packets = try poll()
        #expect(packets == ["4alive"], sourceLocation: sourceLocation)
    }

    /// Opens a WebSocket for the session.
    func openSocket() throws -> BenchSocket { try BenchSocket(bench, path: path, query: "&sid=\(sid)") }

    /// Opens a WebSocket for the session and probes it.
    func probe(sourceLocation: SourceLocation = #_sourceLocation) throws -> BenchSocket {
        let socket = try openSocket()
        try socket.send("2probe")
        try socket.expect(.text("3probe"), sourceLocation: sourceLocation)
        return socket
    }
}

extension BenchReply {
    /// The packets of a poll's response.
    var packets: [String] { body.split(separator: "\u{1E}").map(String.init) }
}
