internal import AppFlow
internal import Basics
internal import GLibKit
internal import SoupKit

/// The kinds of programs that may listen at the address of a server.
enum ServerProbe: Hashable {
    /// Nothing listens there, or it is not reached.
    case nobody
    /// A server of callrunner: `callrunner serve`, the app or a call.
    case callrunner
    /// Another server that speaks Engine.IO, such as the original one.
    case signalingServer
    /// A server of accounts by another maker, which may offer nothing else.
    case accountServer
    /// A program that is no such server.
    case foreign

    private static let limit = Duration.seconds(2)
    private static let answerLimit = 4096

    /// Asks the program at a URL, which has no slash at its end.
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
        // Engine.IO refuses this, and so opens no session.
        switch await answer("/socket.io/?EIO=4&transport=none") {
        case .failure(HTTPFailure.refused), .failure(HTTPFailure.unreachable),
            .failure(HTTPFailure.untrusted):
            self = .nobody
        case .success(let refusal?) where Self.isOfEngineIO(refusal):
            let health = (try? await answer("/healthz").get()).flatMap(\.self)
            self = health.map(Self.isHealthy) ?? false ? .callrunner : .signalingServer
        case .success, .failure:
            // Without a token, the profile is refused there.
            let profile = (try? await answer("/api/v1/users/me/").get()).flatMap(\.self)
            self = [401, 403].contains(profile?.status) ? .accountServer : .foreign
        }
        await client.close()
    }

    private static func isHealthy(_ response: HTTPResponse) -> Bool {
        response.status == 200 && (try? JSON(parsing: response.body))?["status"] == "ok"
    }

    /// Whether a response is a refusal by a server of Engine.IO: an object with a code, or a text with Python.
    private static func isOfEngineIO(_ response: HTTPResponse) -> Bool {
        guard response.status / 100 == 4, let json = try? JSON(parsing: response.body) else { return false }
        return json["code"]?.intValue != nil || json.stringValue != nil
    }

    /// Whether the server at `base` is on this computer.
    static func isHere(_ base: String) -> Bool { URLParts(base)?.isLoopback ?? false }

    /// Returns the failure of a client of the server at `base`, if it is a foreign program on this computer.
    ///
    /// The servers of others may lack some services, and answer in their own way.
    func failure(ofClientOf base: String, flag: String) -> Failure? {
        guard self == .foreign, Self.isHere(base) else { return nil }
        let shown = base.withoutURLSecrets
        return Failure(
            code: "foreign-server",
            message: "another program listens at \(shown), which is no server of callrunner",
            hint: Self.remedy(flag),
            exit: RunStatus.signalingFailed.rawValue
        )
    }

    /// Returns the remedy where another program holds a port: to stop it, or to use another one.
    static func remedy(_ flag: String) -> String {
        "stop that program, or use another port: `callrunner serve --port 3001`, and \(flag) http://127.0.0.1:3001"
    }
}
