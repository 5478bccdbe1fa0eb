internal import Basics
internal import ChatCore
package import HTTPFront
package import Hummingbird
package import Logging
package import ServerStore

/// The chat service of a server: the list of people, conversations over WebSockets, and the files that people send.
package struct ChatWebService: WebService {
    package let name = "chat"
    package let limits: ServiceLimits = {
        var limits = ServiceLimits()
        limits.requestsAtOnce = 64
        limits.sockets = 20_000
        limits.messagesPerSecond = 10 * ChatLimits.framesPerSecond
        limits.requestsAtOncePerAddress = 16
        limits.collectedBody = 16_384
        limits.maximumMessage = ChatLimits.longestFrame
        limits.maximumQueuedBytes = ChatLimits.waitingBytes
        return limits
    }()

    private static let people = "/api/users"
    private static let socket = "/ws/chat"
    static let media = "/api/media"

    private let desk: ChatDesk
    private let access: ChatAccess
    private let export: ChatExport
    private let responder: ServiceResponder

    /// Creates the service.
    ///
    /// - Throws: `ServerStoreFailure`.
    package init(
        _ configuration: ChatConfiguration,
        _ directory: any ChatDirectory,
        _ database: ServerDatabase,
        logger: Logger
    ) async throws {
        let (blocks, lastTime) = try await database.read { database in
            let tables = ChatTables(database, now: 0)
            return (try tables.blocks(), try tables.lastTime())
        }
        let simulated = SimulatedPeople(
            isEnabled: configuration.hasSimulatedPeople,
            seed: UInt64.random(in: 0 ... .max)
        )
        let hub = ChatHub(configuration.hub, blocks: blocks, simulated: simulated)
        let shelf = MediaShelf(configuration.mediaFolder, database, logger: logger)
        let desk = ChatDesk(
            hub,
            database,
            directory,
            lastTime: lastTime,
            logger: logger,
            clock: { WallClock.microseconds },
            removeFiles: shelf.remove
        )
        let access = ChatAccess(configuration, directory, hasOldConversation: desk.hasOldConversation)
        try await shelf.removeLeftovers()
        (self.desk, self.access) = (desk, access)
        export = ChatExport(database: database, shelf: shelf)
        var routes = ServiceRoutes { error in
            if let refusal = error as? ChatRefusal { return refusal.response }
            guard let failure = error as? ServerStoreFailure else { return nil }
            logger.error("chat: \(failure.message)")
            return ChatRefusal(.serviceUnavailable, "the server cannot store anything now").response
        }
        routes.on(.get, Self.people) { request, context in
            let viewer = try await access.viewer(request, context)
            return Response(.ok, .array(try await access.people(of: desk, for: viewer).map(\.json)))
        }
        // Browsers open at most six connections to a server.
        let transfers = TransferPlaces<Int>(most: 32, mostOfHolder: 8)
        let refusal = ChatRefusal(.serviceUnavailable, "too many files are being transferred at once")
        routes.on(.post, Self.media, maximumBody: ChatLimits.largestFile) { request, context in
            let owner = try await access.person(request, context)
            guard let place = transfers.take(for: owner, end: context.giveUp) else { throw refusal }
            return Response(.created, try await shelf.store(place.counting(request.body), of: owner).json)
        }
        routes.on(.get, "\(Self.media)/:id") { request, context in
            let person = try await access.person(request, context)
            let id = try context.parameters.require("id")
            guard let place = transfers.take(for: person, end: context.giveUp) else { throw refusal }
            var response = try await shelf.response(id, for: person, request, context)
            response.body = place.counting(response.body)
            return response
        }
        responder = routes.responder(logger)
    }

    package func owns(_ path: String) -> Bool {
        let path = path.hasSuffix("/") ? String(path.dropLast()) : path
        return path == Self.people || path == Self.socket || path == Self.media
            || path.hasPrefix("\(Self.media)/")
    }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        guard request.uri.path != Self.socket else {
            var response = ChatRefusal(.upgradeRequired, "a WebSocket is expected").response
            response.headers[.upgrade] = "websocket"
            return response
        }
        return await responder.respond(to: request, context)
    }

    package func openSocket(_ request: Request, _ context: WebContext) async -> SocketDecision {
        guard request.uri.path == Self.socket else { return .refuse(Response(status: .notFound)) }
        do {
            let seat = try await access.seat(request, context)
            return .accept { [desk] in ChatSocket(desk, seat) }
        } catch {
            return .refuse(error.response)
        }
    }

    /// Writes all data that the chat stores about a person: one JSON object in parts.
    ///
    /// - Throws: `ServerStoreFailure`, or an error of `write`.
    @concurrent package func writeData(about person: Int, _ write: @concurrent ([UInt8]) async throws -> Void)
        async throws
    {
        try await export.write(about: person, write)
    }

    package var answersBeforeClosing: Bool { true }

    package var stored: Int? { desk.read(\.storedMessages) }

    package func run() async { await desk.run() }

    package func drain() async { await desk.drain() }
}
