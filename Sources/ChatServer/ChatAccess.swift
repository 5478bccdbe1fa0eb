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
    /// Determines whether a person has a conversation with another one whose account was deleted.
    private let hasOldConversation: @Sendable (_ person: Int, _ peer: Int) async throws -> Bool

    init(
        _ configuration: ChatConfiguration,
        _ directory: any ChatDirectory,
        hasOldConversation: @escaping @Sendable (_ person: Int, _ peer: Int) async throws -> Bool
    ) {
        (self.configuration, self.directory) = (configuration, directory)
        self.hasOldConversation = hasOldConversation
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
        do {
            if let name = try await name(of: person) { seat.names[person] = name }
            guard let peer else { return seat }
            if let name = try await name(of: peer) {
                seat.names[peer] = name
            } else if PersonKind(peer) == .account, try await !hasOldConversation(person, peer) {
                throw ChatRefusal(.notFound, "there is no such person")
            }
        } catch {
            throw error as? ChatRefusal ?? .init(.serviceUnavailable, "the server cannot read anything now")
        }
        return seat
    }

    private func name(of person: Int) async throws -> String? {
        switch PersonKind(person) {
        case .account: try await directory.accounts([person]).first?.name
        case .simulated: simulated.person(person)?.name
        case .guest: nil
        }
    }

    // MARK: The list

    /// Returns the people in the list, ordered by ID: simulated people, guests who are connected, accounts, and others
    /// with whom the viewer has a conversation.
    ///
    /// - Throws: An error if the conversations or their people cannot be read.
    func people(of desk: ChatDesk, for viewer: Int?) async throws -> [ChatPerson] {
        await desk.drawSimulated()
        let accounts = await directory.accounts()
        let listed = desk.read { hub in
            // Guests are listed only while they are online, so guests who hide their presence are not listed.
            let guests = hub.connectedGuests.filter { !hub.hidesPresence(of: $0, from: viewer) }
            return hub.simulated.all + guests.map { ChatPerson.unknown($0, isOnline: false) } + accounts
        }
        let others = try await others(than: Set(listed.map(\.id)), of: desk, for: viewer)
        return desk.read { hub in
            (listed + others).sorted { $0.id < $1.id }.map { person in
                var person = person
                person.isOnline = hub.isOnline(person.id, for: viewer)
                return person
            }
        }
    }

    /// Returns the people who are not in `listed`, and with whom the viewer has a conversation.
    private func others(
        than listed: Set<Int>,
        of desk: ChatDesk,
        for viewer: Int?
    ) async throws -> [ChatPerson] {
        guard let viewer else { return [] }
        let partners = try await desk.partners(of: viewer).filter { !listed.contains($0.id) }
        let ids = partners.map(\.id).filter { PersonKind($0) == .account }
        let accounts = try await directory.accounts(ids).reduce(into: [:]) { $0[$1.id] = $1 }
        return partners.map { partner in
            switch PersonKind(partner.id) {
            case .account: accounts[partner.id] ?? partner
            case .guest: .unknown(partner.id, isOnline: false)
            case .simulated: partner
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
