internal import CGLib
internal import CSoup
internal import GLibKit

/// What all HTTP requests of one connection have in common.
struct SessionSettings: Sendable {
    let trust: TLSTrust
    /// The transport's own, over which its requests go.
    let links: TCPLinks

    /// A libsoup session of its own: two connections to the server at most, which is one long poll and
    /// one POST, and no time limits, which are the connection machine's.
    ///
    /// - Throws: `SocketFailure.untrusted` where the file of authorities cannot be used.
    @LoopActor
    func makeSession() throws(SocketFailure) -> ObjectRef {
        let session = ObjectRef(taking: UnsafeMutableRawPointer(soup_session_new()))
        let handle = session.cast(to: SoupSession.self)
        soup_session_set_timeout(handle, 0)
        if case .authorities(let file) = trust {
            let database = try Self.database(of: file)
            soup_session_set_tls_database(handle, database.cast(to: GTlsDatabase.self))
        }
        return session
    }

    /// A message to `url`.
    ///
    /// - Throws: `SocketFailure.invalidURL`.
    @LoopActor
    func makeMessage(_ method: String, _ url: String) throws(SocketFailure) -> ObjectRef {
        guard let message = soup_message_new(method, url) else { throw .invalidURL(url) }
        let request = ObjectRef(taking: UnsafeMutableRawPointer(message))
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
