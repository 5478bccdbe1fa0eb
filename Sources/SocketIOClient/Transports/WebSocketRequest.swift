internal import CGLib
internal import CSoup
internal import GLibKit

/// The HTTP request that opens a WebSocket.
struct WebSocketRequest: Sendable {
    let url: String
    let settings: SessionSettings

    /// Connects and passes the `SoupWebsocketConnection` to `onOpened`.
    ///
    /// - Parameters:
    ///   - onRequested: Called on `LoopActor` when the whole request has been sent.
    ///   - onOpened: Called on `LoopActor` with the connection, before its first message can arrive.
    /// - Throws: `TransportEnd`, `SocketFailure` or `CancellationError`.
    @LoopActor
    func send(
        onRequested: @escaping @Sendable () -> Void,
        onOpened: @escaping (ObjectRef) -> Void
    ) async throws {
        let request = try settings.makeMessage("GET", url)
        request.connect("wrote-headers") { _ in onRequested() }
        let session = try settings.makeSession()
        do {
            try await connect(request, in: session, onOpened: onOpened)
        } catch let error as GLibError {
            throw TransportEnd(
                reason: .transportError,
                failure: SocketFailure(error, of: request),
                refusesClient: HTTPAnswer.refusesClient(request)
            )
        }
    }

    @LoopActor
    private func connect(
        _ request: ObjectRef,
        in session: ObjectRef,
        onOpened: @escaping (ObjectRef) -> Void
    ) async throws {
        let isConnected = try await gio { cancellable, callback, data in
            soup_session_websocket_connect_async(
                session.cast(to: SoupSession.self),
                request.opaque,
                nil,
                nil,
                0,
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            let made = soup_session_websocket_connect_finish(
                session.cast(to: SoupSession.self),
                result,
                error
            )
            guard let made else { return false }
            onOpened(ObjectRef(taking: UnsafeMutableRawPointer(made)))
            return true
        }
        guard isConnected else { throw SocketFailure.broken("libsoup made no connection") }
    }
}
