import FrontParsers
import HTTPFront
import Hummingbird
import NIOCore
import Synchronization

/// A service with the paths of a chat, whose answers are the test's.
final class OddService: WebService {
    /// The things that a WebSocket gets when it opens.
    enum Step: Sendable {
        case text(String)
        case binary(String)
        case close(UInt16)
    }

    let name = "odd"
    private let steps: [Step]
    private let answer: @Sendable (Request) -> Response
    /// The requests, as method, target and the field `Authorization`.
    let requests = Mutex<[String]>([])

    init(
        _ steps: [Step] = [],
        _ answer: @escaping @Sendable (Request) -> Response = { _ in Response(status: .ok) }
    ) {
        (self.steps, self.answer) = (steps, answer)
    }

    func owns(_ path: String) -> Bool { true }

    func respond(to request: Request, _ context: WebContext) async -> Response {
        note(request)
        return answer(request)
    }

    func openSocket(_ request: Request, _ context: WebContext) async -> SocketDecision {
        note(request)
        guard !steps.isEmpty else { return .refuse(answer(request)) }
        return .accept { [steps] in Delegate(steps) }
    }

    private func note(_ request: Request) {
        let token = request.headers[.authorization] ?? "-"
        requests.withLock { $0.append("\(request.method) \(request.uri) \(token)") }
    }

    private final class Delegate: ServiceSocketDelegate {
        private let steps: [Step]

        init(_ steps: [Step]) { self.steps = steps }

        func socketDidOpen(_ socket: ServiceSocket) {
            for step in steps {
                switch step {
                case .text(let text): socket.send(text)
                case .binary(let text): socket.send(FramedMessage(opcode: .binary, text.utf8))
                case .close(let code): socket.close(code)
                }
            }
        }

        /// Returns a text to its sender.
        func socket(_ socket: ServiceSocket, didReceive message: FramedMessage) {
            socket.send("echo \(String(buffer: message.payload))")
        }

        func socketDidClose(_ socket: ServiceSocket) {}
    }
}
