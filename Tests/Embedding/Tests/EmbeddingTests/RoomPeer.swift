import Basics
import CallMedia
import SocketIOClient

/// A participant of a room on the signaling server: a caller calls when its peer joins, and a callee answers.
struct RoomPeer {
    let name: String
    let isCaller: Bool
    let server: String

    /// Takes part in a call that ends after `seconds` seconds of media, and returns the events of the
    /// connection.
    func call(for seconds: Int) async throws -> [PeerConnection.Event] {
        let query = ["roomId": "1", "username": name, "isCaller": "\(isCaller)"]
        let client = SocketIOClient(try SocketConfiguration(url: server, query: query))
        let connection = try await PeerConnection(Media.configuration())
        let result = await Result.of {
            try await client.withSocket { socket in
                try await withThrowingTaskGroup(of: [PeerConnection.Event]?.self) { group in
                    group.addTask {
                        for await event in socket.events { try await handle(event, socket, connection) }
                        return nil
                    }
                    group.addTask {
                        try await Watcher.watch(connection, for: seconds) {
                            try await socket.emit("candidate", Self.json($0))
                        }
                    }
                    defer { group.cancelAll() }
                    for try await events in group { if let events { return events } }
                    return []
                }
            }
        }
        await connection.close()
        return try result.get()
    }

    private func handle(_ event: SocketEvent, _ socket: Socket, _ connection: PeerConnection) async throws {
        guard case .event(let name, let arguments, _) = event, let content = arguments.first else { return }
        switch name {
        case "room_user_joined" where isCaller:
            let offer = try await connection.createOffer()
            try await socket.emit("offer", ["type": "offer", "sdp": .string(offer)])
        case "offer" where !isCaller:
            let answer = try await connection.createAnswer(to: content["sdp"]?.stringValue ?? "")
            try await socket.emit("answer", ["type": "answer", "sdp": .string(answer)])
        case "answer" where isCaller:
            try await connection.apply(answer: content["sdp"]?.stringValue ?? "")
        case "candidate":
            await connection.add(
                PeerConnection.Candidate(
                    candidate: content["candidate"]?.stringValue ?? "",
                    sdpMid: content["sdpMid"]?.stringValue,
                    sdpMLineIndex: content["sdpMLineIndex"]?.intValue
                )
            )
        default: break
        }
    }

    private static func json(_ candidate: PeerConnection.Candidate) -> JSON {
        [
            "candidate": .string(candidate.candidate),
            "sdpMid": candidate.sdpMid.map(JSON.string) ?? nil,
            "sdpMLineIndex": candidate.sdpMLineIndex.map(JSON.int) ?? nil,
        ]
    }
}

extension Result where Failure == any Error {
    /// Captures the result or the error of `body`, so that cleanup can run before the error is thrown.
    static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
