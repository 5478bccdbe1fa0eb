internal import Basics
internal import ChatCore
internal import HTTPFront
internal import Hummingbird

/// The rules that determine the person on whose behalf a request is made.
struct ChatAccess: Sendable {
    private let configuration: ChatConfiguration
    private let directory: any ChatDirectory
    /// The names of simulated people.
    private let simulated: SimulatedPeople

    init(_ configuration: ChatConfiguration, _ directory: any ChatDirectory) {
        (self.configuration, self.directory) = (configuration, directory)
        simulated = SimulatedPeople(isEnabled: configuration.hasSimulatedPeople, seed: 0)
    }

    // MARK: Persons

    /// Returns the person on whose behalf a request is made.
    ///
    /// - Throws: `ChatRefusal`.
    func person(_ request: Request, _ context: WebContext) async throws(ChatRefusal) -> Int {
        let named = request.uri.queryParameters["userId"].flatMap { Int($0) }
        if let token = request.token {
            guard let holder = await directory.holder(ofAccessToken: token), named ?? holder == holder else {
                throw .unauthorized
            }
            return holder
        }
        guard let named, named > 0 else {
            guard isTrusted(request, context) else { throw .unauthorized }
            throw .init(.badRequest, "“userId” must be a positive integer")
        }
        guard isTrusted(request, context), PersonKind(named) != .account else { throw .unauthorized }
        return named
    }

    /// Returns the person who requests the list of people; nil for a client on this computer that does not name a
    /// person.
    ///
    /// - Throws: `ChatRefusal`.
    func viewer(_ request: Request, _ context: WebContext) async throws(ChatRefusal) -> Int? {
        if request.token == nil, request.uri.queryParameters["userId"] == nil, isTrusted(request, context) {
            return nil
        }
        return try await person(request, context)
    }

    /// Returns whether the client is on this computer and therefore needs no token for people without accounts.
    private func isTrusted(_ request: Request, _ context: WebContext) -> Bool {
        configuration.trustsThisComputer && !request.isForwarded && context.isOfThisComputer
    }

    /// Returns the person, the conversation and the protocol of a request to open a WebSocket.
    ///
    /// - Throws: `ChatRefusal`.
    func seat(_ request: Request, _ context: WebContext) async throws(ChatRefusal) -> ChatSeat {
        let query = request.uri.queryParameters
        let isExtended = query["v"] == "2"
        guard let named = query["userId"].flatMap({ Int($0) }), named > 0 else {
            throw .init(.badRequest, "“userId” must be a positive integer")
        }
        var peer: Int?
        if let text = query["withId"] {
            guard let id = Int(text), id > 0 else {
                throw .init(.badRequest, "“withId” must be a positive integer")
            }
            guard id != named else { throw .init(.badRequest, "“userId” and “withId” are the same person") }
            peer = id
        } else if !isExtended {
            throw .init(.badRequest, "“withId” must be a positive integer")
        }
        let person = try await person(request, context)
        var seat = ChatSeat(person, with: peer, isExtended: isExtended)
        seat.token = request.token
        seat.base = request.base(isSecure: context.isSecure)
        if let name = await name(of: person) { seat.names[person] = name }
        if let peer {
            let name = await name(of: peer)
            guard name != nil || PersonKind(peer) != .account else {
                throw .init(.notFound, "there is no such person")
            }
            if let name { seat.names[peer] = name }
        }
        return seat
    }

    private func name(of person: Int) async -> String? {
        switch PersonKind(person) {
        case .account: await directory.name(ofAccount: person)
        case .simulated: simulated.person(person)?.name
        case .guest: nil
        }
    }

    // MARK: The list

    /// Returns the people in the list: simulated people, guests, then accounts, each in the order of IDs.
    func people(of desk: ChatDesk, for viewer: Int?) async -> [ChatPerson] {
        await desk.drawSimulated()
        let accounts = await directory.accounts()
        return desk.read { hub in
            // Guests are listed only while they are there, so those who hide it are not.
            let guests = hub.connectedGuests.filter { !hub.hidesPresence(of: $0, from: viewer) }
                .map { ChatPerson(id: $0, name: ChatPerson.guestName($0)) }
            return (hub.simulated.all + guests + accounts).map { person in
                var person = person
                person.isOnline = hub.isOnline(person.id, for: viewer)
                return person
            }
        }
    }
}

extension Request {
    /// The access token of the `Authorization` field or, because browsers cannot set fields for WebSockets, of the
    /// query.
    fileprivate var token: String? { bearer ?? uri.queryParameters["token"].map { String($0) } }

    /// The base URL of the server as the client sees it; empty without a `Host` field.
    fileprivate func base(isSecure: Bool) -> String {
        let host = headers.first { $0.name.canonicalName == "host" }?.value ?? ""
        let isSecure =
            isSecure
            || headers.contains { field in
                field.name.canonicalName == "x-forwarded-proto" && field.value.lowercased() == "https"
            }
        return host.isEmpty ? "" : "\(isSecure ? "https" : "http")://\(host)"
    }
}
