internal import Basics
internal import CallCore
internal import GLibKit

/// Queries a STUN or TURN server directly, because libnice does not report why a server is unusable.
package struct ICEServerProbe: Sendable {
    /// The result of a query.
    package enum Answer: Hashable, Sendable {
        /// The STUN server sees us at this address and port.
        case mapped(String)
        /// The TURN server allocated this relayed address and port; the allocation was then deleted.
        case relayed(String)
        /// The server responded with an error (RFC 8489 §14.8, RFC 8656 §19).
        case refused(code: Int, reason: String)
        /// No connection was made, TLS failed, or no response arrived.
        case unreachable(String)
    }

    /// The maximum total wait for a response.
    private static let timeout: Duration = .seconds(4)
    /// The pauses before a datagram is sent again (RFC 8489 §6.2.1).
    private static let repeats: [Duration] = [.milliseconds(500), .seconds(1)]
    private static let stale = 438

    private let url: ICEServerURL
    private let username: String
    private let credential: String
    private let authorities: TLSAuthorities

    init(_ url: ICEServerURL, username: String, credential: String, authorities: TLSAuthorities) {
        (self.url, self.username, self.credential) = (url, username, credential)
        self.authorities = authorities
    }

    init(_ server: ICEServerList.TURN, _ authorities: TLSAuthorities) {
        self.init(
            server.url,
            username: server.username,
            credential: server.credential,
            authorities: authorities
        )
    }

    /// Queries the server once; takes at most four seconds.
    func answer() async -> Answer {
        let answer = try? await withDeadline(Self.timeout) { () -> Answer in
            do { return try await ask() } catch { return .unreachable(Self.reason(error)) }
        }
        return answer ?? .unreachable("no answer within \(DurationText(Self.timeout))")
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? GLibError else { return "it does not speak STUN" }
        return (error.domain == "g-tls-error-quark" ? "TLS: " : "") + error.message
    }

    private func ask() async throws -> Answer {
        let transport: NetworkStream.Transport =
            switch url.transport {
            case .udp: .udp
            case .tcp: .tcp
            case .tls: .tls(authorities)
            }
        guard url.transport != .tls || TLSAuthorities.areAvailable else {
            return .unreachable("TLS needs the package glib-networking")
        }
        let stream = try await NetworkStream.connect(to: url.host, port: url.port, over: transport)
        do {
            let answer = try await url.scheme == .stun ? bind(stream) : allocate(stream)
            await stream.close()
            return answer
        } catch {
            await stream.close()
            throw error
        }
    }

    private func bind(_ stream: NetworkStream) async throws -> Answer {
        let answer = try await reply(to: STUNMessage(.bindingRequest), nil, on: stream)
        return Self.refusal(answer)
            ?? .mapped(answer.address(.mappedAddress) ?? "an address that it does not report")
    }

    /// Requests an allocation first without credentials, to learn realm and nonce, and then with credentials
    /// (RFC 8656 §7.1).
    private func allocate(_ stream: NetworkStream) async throws -> Answer {
        var credentials: STUNMessage.Credentials?
        for _ in 0..<3 {
            var request = STUNMessage(.allocateRequest)
            request.set(.requestedTransport, [17, 0, 0, 0])  // UDP
            let answer = try await reply(to: request, credentials, on: stream)
            if answer.kind == .allocateSuccess {
                if let credentials { try await release(stream, credentials) }
                return .relayed(
                    answer.address(.relayedAddress) ?? "an address that it does not report"
                )
            }
            let isAsking = answer.error?.code == Self.stale || credentials == nil
            guard isAsking, let realm = answer.attributes[.realm], let nonce = answer.attributes[.nonce]
            else {
                return Self.refusal(answer) ?? .unreachable("it does not speak TURN")
            }
            credentials = STUNMessage.Credentials(
                username: username,
                secret: credential,
                realm: realm,
                nonce: nonce
            )
        }
        return .refused(code: Self.stale, reason: "Stale Nonce")
    }

    private func release(_ stream: NetworkStream, _ credentials: STUNMessage.Credentials) async throws {
        var request = STUNMessage(.refreshRequest)
        request.set(.lifetime, [0, 0, 0, 0])
        try await stream.write(request.encoded(credentials))
    }

    private static func refusal(_ answer: STUNMessage) -> Answer? {
        answer.error.map { .refused(code: $0.code, reason: $0.reason) }
    }

    // MARK: One request

    private func reply(
        to request: STUNMessage,
        _ credentials: STUNMessage.Credentials?,
        on stream: NetworkStream
    ) async throws -> STUNMessage {
        let bytes = request.encoded(credentials)
        try await stream.write(bytes)
        return try await withThrowingTaskGroup(of: STUNMessage?.self) { group in
            group.addTask { try await read(request.transaction, from: stream) }
            if url.transport == .udp {
                group.addTask {
                    for pause in Self.repeats {
                        try await ContinuousClock().sleep(for: pause)
                        try await stream.write(bytes)
                    }
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
            }
            throw CancellationError()
        }
    }

    /// Reads the response of this transaction; other messages and malformed datagrams are ignored.
    ///
    /// - Throws: `GLibError` if the server closes the connection, or `CancellationError` if it sends anything but STUN
    ///   over TCP or TLS.
    private func read(_ transaction: [UInt8], from stream: NetworkStream) async throws -> STUNMessage {
        var waiting: [UInt8] = []
        while true {
            let bytes = try await stream.read()
            guard !bytes.isEmpty else {
                throw GLibError(domain: "", code: 0, message: "it closed the connection")
            }
            waiting = url.transport == .udp ? bytes : waiting + bytes
            while waiting.count >= STUNMessage.headerSize {
                guard let size = STUNMessage.size(ofMessage: waiting) else {
                    guard url.transport == .udp else { throw CancellationError() }
                    break
                }
                guard waiting.count >= size else { break }
                if let message = STUNMessage(Array(waiting.prefix(size))), message.transaction == transaction
                {
                    return message
                }
                waiting.removeFirst(size)
            }
        }
    }
}

// MARK: - Sentence

extension ICEServerProbe.Answer {
    /// Returns a sentence that explains why `server` is unusable; nil if it is usable.
    func problem(of server: ICEServerURL) -> String? {
        switch self {
        case .mapped, .relayed: nil
        case .refused(let code, let reason) where code == 401 || code == 441:
            "the server \(server) rejects the user or secret (\(Self.code(code, reason)))"
        case .refused(let code, let reason):
            "the server \(server) refuses the request (\(Self.code(code, reason)))"
        case .unreachable(let reason): "the server \(server) cannot be used: \(reason)"
        }
    }

    /// Returns advice on how to fix the problem.
    func hint(for server: ICEServerURL) -> String {
        switch self {
        case .mapped, .relayed: "check that UDP passes between the TURN server and the peer"
        case .refused(401, _), .refused(441, _):
            "check the user and secret in --turn, or in the ice_servers of the signaling server"
        case .refused(440, _): "enable IPv4 and IPv6 on the TURN server, or try --ipv4"
        case .refused: "check the server's log"
        case .unreachable(let reason) where reason.hasPrefix("TLS needs"):
            "sudo apt-get install glib-networking"
        case .unreachable(let reason) where reason.hasPrefix("TLS"):
            "check the TURN server's certificate and name; --cacert FILE trusts its authority, --insecure trusts any"
        case .unreachable where server.scheme == .stun: "check host and port, and that UDP passes"
        case .unreachable where server.transport == .udp:
            "check host and port, and that UDP passes; ?transport=tcp or turns: work where it does not"
        case .unreachable: "check host and port of the TURN server, and that it is running"
        }
    }

    /// Whether repeating the same request is pointless.
    var isFinal: Bool {
        if case .refused(let code, _) = self { [400, 401, 403, 440, 441, 442].contains(code) } else { false }
    }

    private static func code(_ code: Int, _ reason: String) -> String {
        reason.isEmpty ? "\(code)" : "\(code) \(reason)"
    }
}
