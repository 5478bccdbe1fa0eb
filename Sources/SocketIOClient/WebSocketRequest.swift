internal import CGLib
internal import CSoup
internal import GLibKit

/// The HTTP request that asks a server for a WebSocket.
struct WebSocketRequest: Sendable {
    let url: String
    let trust: TLSTrust

    /// Connects, and hands the `SoupWebsocketConnection` to `onOpened`.
    ///
    /// - Parameters:
    ///   - onRequested: called on the loop when the server has the whole request.
    ///   - onOpened: called on the loop with the connection before its first message can arrive.
    /// - Throws: `SocketFailure`, or `CancellationError`.
    @LoopActor
    func send(
        onRequested: @escaping @Sendable () -> Void,
        onOpened: @escaping (ObjectRef) -> Void
    ) async throws {
        guard let message = soup_message_new("GET", url) else { throw SocketFailure.invalidURL(url) }
        let request = ObjectRef(taking: UnsafeMutableRawPointer(message))
        request.connect("wrote-headers") { _ in onRequested() }
        if trust == .anybody {
            request.connect("accept-certificate") { $0.returnBool(true) }
        }
        let session = try makeSession()
        do {
            try await connect(request, in: session, onOpened: onOpened)
        } catch let error as GLibError {
            throw SocketFailure(error, of: request)
        }
    }

    @LoopActor
    private func makeSession() throws(SocketFailure) -> ObjectRef {
        let session = ObjectRef(taking: UnsafeMutableRawPointer(soup_session_new()))
        soup_session_set_timeout(session.cast(to: SoupSession.self), 0)  // the attempt has a limit of its own
        if case .authorities(let file) = trust {
            let database: UnsafeMutablePointer<GTlsDatabase>?
            do {
                database = try withGError { g_tls_file_database_new(file, $0) }.map {
                    UnsafeMutableRawPointer($0).assumingMemoryBound(to: GTlsDatabase.self)
                }
            } catch {
                throw .untrusted("cannot read the authorities in “\(file)”: \(error)")
            }
            soup_session_set_tls_database(session.cast(to: SoupSession.self), database)
            g_object_unref(database)
        }
        return session
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
