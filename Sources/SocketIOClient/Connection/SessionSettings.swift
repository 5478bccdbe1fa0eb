internal import CGLib
internal import CSoup
internal import GLibKit

/// The settings shared by all HTTP requests of a transport.
struct SessionSettings: Sendable {
    let trust: TLSTrust
    /// Whether GIO's proxy resolver is used to reach the server.
    let asksForProxy: Bool
    /// The TCP connections of the transport.
    let links: TCPLinks

    /// Creates a libsoup session without time limits; the state machine enforces them.
    ///
    /// libsoup opens at most two connections to the server, which suffice for one long poll and one POST.
    /// - Throws: `SocketFailure.untrusted` if the file of certificate authorities is unusable.
    @LoopActor
    func makeSession() throws(SocketFailure) -> ObjectRef {
        let session = ObjectRef(taking: UnsafeMutableRawPointer(soup_session_new()))
        let handle = session.cast(to: SoupSession.self)
        soup_session_set_timeout(handle, 0)
        if !asksForProxy { soup_session_set_proxy_resolver(handle, nil) }
        if case .authorities(let file) = trust {
            let database = try Self.database(of: file)
            soup_session_set_tls_database(handle, database.cast(to: GTlsDatabase.self))
        }
        return session
    }

    /// Creates an HTTP request to `url` that follows no redirects, which could lead into this host's own
    /// network.
    ///
    /// - Throws: `SocketFailure.invalidURL`.
    @LoopActor
    func makeMessage(_ method: String, _ url: String) throws(SocketFailure) -> ObjectRef {
        guard let message = soup_message_new(method, url) else { throw .invalidURL(url) }
        let request = ObjectRef(taking: UnsafeMutableRawPointer(message))
        soup_message_add_flags(request.opaque, SOUP_MESSAGE_NO_REDIRECT)
        links.watch(request)
        if trust == .anybody {
            request.connect("accept-certificate") { $0.returnBool(true) }
        }
        return request
    }

    private static func database(of file: String) throws(SocketFailure) -> ObjectRef {
        do { return try TLSAuthorities.database(ofFile: file) } catch {
            throw .untrusted("cannot read the authorities in “\(file)”: \(error)")
        }
    }
}
