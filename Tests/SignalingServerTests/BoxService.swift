import FrontParsers
import HTTPFront
import Hummingbird
import Logging
import NIOCore

/// A service that keeps uploaded files in a folder, and repeats what its WebSockets receive.
///
/// It uses all that a server offers to a service.
struct BoxService: WebService {
    let name = "box"
    var limits = ServiceLimits()
    private let responder: ServiceResponder

    init(folder: String) {
        var routes = ServiceRoutes()
        routes.on(.put, "/box/:name", maximumBody: 20 << 20) { request, context in
            let path = try "\(folder)/\(context.parameters.require("name"))"
            try await FileIO().writeFile(contents: request.body, path: path, context: context)
            return Response(status: .created)
        }
        routes.on(.get, "/box/:name") { request, context in
            let path = try "\(folder)/\(context.parameters.require("name"))"
            return try await .file(path, type: "application/octet-stream", for: request, context)
        }
        routes.on(.get, "/box/count/:parts") { _, context in
            let count = try context.parameters.require("parts", as: Int.self)
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    for part in 0..<count { try await writer.write(ByteBuffer(string: "part \(part)\n")) }
                    guard count != 13 else { throw HTTPError(.internalServerError) }
                    try await writer.finish(nil)
                }
            )
        }
        responder = routes.responder(Logger(label: "box") { _ in SwiftLogNoOpLogHandler() })
    }

    func owns(_ path: String) -> Bool { path.hasPrefix("/box/") }

    func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }

    func openSocket(_ request: Request, _ context: WebContext) async -> SocketDecision {
        guard request.headers[.authorization] == "Bearer friend" else {
            return .refuse(Response(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"]))
        }
        return .accept { Echo() }
    }

    private final class Echo: ServiceSocketDelegate {
        func socketDidOpen(_ socket: ServiceSocket) { socket.send("welcome") }

        func socket(_ socket: ServiceSocket, didReceive message: FramedMessage) { socket.send(message) }

        func socketDidClose(_ socket: ServiceSocket) {}
    }
}
