internal import AppFlow
internal import Basics
internal import GLibKit
internal import SoupKit

/// The kinds of programs that may listen at the address of a server.
enum ServerProbe: Hashable {
    /// No program listens at the address, or the address cannot be reached.
    case nobody
    /// A server of callrunner: `callrunner serve`, the app or a call.
    case callrunner
    /// Another server that speaks Engine.IO, such as the original signaling server.
    case signalingServer
    /// An account server by another maker, which may offer nothing else.
    case accountServer
    /// A program that is none of the above.
    case foreign

    private static let limit = Duration.seconds(2)
    private static let answerLimit = 4096

    /// Probes the program that listens at a URL without a trailing slash.
    init(_ url: String, trust: TLSAuthorities = .system) async {
        let client = HTTPClient(trust: trust, idleLimit: Self.limit, connections: 1)
        func answer(_ path: String) async -> Result<HTTPResponse?, any Error> {
            do {
                return .success(
                    try await withDeadline(Self.limit) {
                        try await client.send(HTTPRequest(url + path, limit: Self.answerLimit))
                    }
                )
            } catch { return .failure(error) }
        }
        // Engine.IO refuses this transport, and therefore opens no session.
        switch await answer("/socket.io/?EIO=4&transport=none") {
        case .failure(HTTPFailure.refused), .failure(HTTPFailure.unreachable),
            .failure(HTTPFailure.untrusted):
            self = .nobody
        case .success(let refusal?) where Self.isOfEngineIO(refusal):
            let health = (try? await answer("/healthz").get()).flatMap(\.self)
            self = health.map(Self.isHealthy) ?? false ? .callrunner : .signalingServer
        case .success, .failure:
            // An account server refuses a request for the profile without a token.
            let profile = (try? await answer("/api/v1/users/me/").get()).flatMap(\.self)
            self = [401, 403].contains(profile?.status) ? .accountServer : .foreign
        }
        await client.close()
    }

    private static func isHealthy(_ response: HTTPResponse) -> Bool {
        response.status == 200 && (try? JSON(parsing: response.body))?["status"] == "ok"
    }

    /// Whether a response is a refusal by an Engine.IO server: an object with a code or, from a Python server, a
    /// string.
    private static func isOfEngineIO(_ response: HTTPResponse) -> Bool {
        guard response.status / 100 == 4, let json = try? JSON(parsing: response.body) else { return false }
        return json["code"]?.intValue != nil || json.stringValue != nil
    }

    /// Whether the server at `base` is on this computer.
    static func isHere(_ base: String) -> Bool { URLParts(base)?.isLoopback ?? false }

    /// Returns the failure of a client of the server at `base` if a foreign program listens there on this computer; nil
    /// otherwise.
    ///
    /// Servers by other makers are not foreign, although they may lack some services, and may respond differently.
    func failure(ofClientOf base: String, flag: String) -> Failure? {
        guard self == .foreign, Self.isHere(base) else { return nil }
        return .foreignServer(base, remedy: Self.remedy(flag))
    }

    /// Returns the remedy if another program uses a port: stop that program, or use another port.
    static func remedy(_ flag: String) -> String {
        "stop that program, or use another port: `callrunner serve --port 3001`, and \(flag) http://127.0.0.1:3001"
    }
}

extension Failure {
    /// Creates the failure of a client of the server at `base`, where a foreign program listens.
    static func foreignServer(_ base: String, remedy: String) -> Failure {
        Failure(
            code: "foreign-server",
            message: "another program listens at \(base.withoutURLSecrets): it is not a callrunner server",
            hint: remedy,
            exit: RunStatus.signalingFailed.rawValue
        )
    }
}
