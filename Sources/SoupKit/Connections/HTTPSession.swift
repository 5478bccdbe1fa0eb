internal import Basics
internal import CGLib
internal import CSoup
package import GLibKit
internal import Synchronization

/// An HTTP session of libsoup, whose requests share connections.
@LoopActor
package final class HTTPSession {
    private let session: ObjectRef
    let settings: HTTPSessionSettings

    /// Creates a session without open connections.
    ///
    /// - Throws: `HTTPFailure.untrusted` if the file of certificate authorities is unusable.
    package init(_ settings: HTTPSessionSettings) throws(HTTPFailure) {
        SoupEnvironment.prepare()
        self.settings = settings
        session = Self.make(connections: settings.connections)
        let handle = session.cast(to: SoupSession.self)
        soup_session_set_timeout(handle, Self.seconds(settings.idleLimit))
        if !settings.usesProxies { soup_session_set_proxy_resolver(handle, nil) }
        guard case .file(let file) = settings.trust else { return }
        do {
            let database = try TLSAuthorities.database(ofFile: file)
            soup_session_set_tls_database(handle, database.cast(to: GTlsDatabase.self))
        } catch {
            throw .untrusted("cannot read the CA certificates in “\(file)”: \(error)")
        }
    }

    private static func make(connections: Int) -> ObjectRef {
        var value = Value(Int32(clamping: connections))
        // The property can be set only when the session is created.
        let made = "max-conns-per-host".withCString { name in
            var names: [UnsafePointer<CChar>?] = [name]
            return g_object_new_with_properties(soup_session_get_type(), 1, &names, &value.raw)
        }
        return made.map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
            ?? ObjectRef(taking: UnsafeMutableRawPointer(soup_session_new()))
    }

    // The deinitializer runs on `LoopActor`, because libsoup's objects must be released on the thread that
    // uses them.
    isolated deinit {}

    /// The maximum number of stored cookies; cookies of further responses are dropped.
    private nonisolated static let mostCookies = 100

    /// Stores up to `mostCookies` cookies, and sends them back to the servers that have set them.
    func keepCookies() {
        let (session, type) = (session.cast(to: SoupSession.self), soup_cookie_jar_get_type())
        soup_session_add_feature_by_type(session, type)
        guard let feature = soup_session_get_feature(session, type) else { return }
        let jar = ObjectRef(retaining: UnsafeMutableRawPointer(feature))
        let weak = WeakObjectRef(jar)
        let count = Mutex(0)
        jar.connect("changed") { arguments in
            let change = (arguments.boxed(2) == nil ? 0 : 1) - (arguments.boxed(1) == nil ? 0 : 1)
            let isFull = count.withLock { count in
                count += change
                return count >= Self.mostCookies
            }
            guard isFull, let jar = weak.object else { return }
            soup_cookie_jar_set_accept_policy(jar.cast(to: SoupCookieJar.self), SOUP_COOKIE_JAR_ACCEPT_NEVER)
        }
    }

    /// Ends all requests and closes the connections.
    ///
    /// Without this call, closing an unfinished response would read its body to the end and block the loop.
    package func abort() { soup_session_abort(session.cast(to: SoupSession.self)) }

    /// Creates the message of a request.
    ///
    /// - Throws: `HTTPFailure.invalidRequest`.
    func makeMessage(_ request: HTTPRequest) throws(HTTPFailure) -> ObjectRef {
        guard request.method.isHTTPToken else {
            throw .invalidRequest("“\(request.method)” is not a method")
        }
        guard request.headers.areValid else { throw .invalidRequest("a header field is not valid") }
        guard let new = soup_message_new(request.method, request.url) else {
            throw .invalidRequest("“\(request.url)” is not an address")
        }
        let message = ObjectRef(taking: UnsafeMutableRawPointer(new))
        if request.acceptsCompression {
            ContentDecoding.restrict(in: message)
        } else {
            ContentDecoding.disable(in: message)
        }
        if request.followsRedirects {
            keepSecrets(of: request, in: message)
        } else {
            soup_message_add_flags(message.opaque, SOUP_MESSAGE_NO_REDIRECT)
        }
        let headers = soup_message_get_request_headers(message.opaque)
        for field in request.headers.fields { soup_message_headers_append(headers, field.name, field.value) }
        settings.links.watch(message)
        if settings.trust == .anybody {
            message.connect("accept-certificate") { $0.returnBool(true) }
        }
        return message
    }

    /// Removes the header fields that may reveal something about the user when the request is redirected to another
    /// origin.
    private func keepSecrets(of request: HTTPRequest, in message: ObjectRef) {
        let names = request.headers.fields.map(\.name).filter { !Self.publicFields.contains($0.lowercased()) }
        guard !names.isEmpty, let origin = URLParts(request.url)?.origin else { return }
        message.connect("restarted") { arguments in
            guard let message = arguments.object(0), Self.origin(of: message) != origin else { return }
            let headers = soup_message_get_request_headers(message.opaque)
            for name in names { soup_message_headers_remove(headers, name) }
        }
    }

    /// The names of the header fields that are sent to any origin, because they reveal nothing about the user.
    private static let publicFields: Set = [
        "accept", "accept-language", "cache-control", "content-type", "range", "user-agent",
    ]

    private nonisolated static func origin(of message: ObjectRef) -> String? {
        guard let text = g_uri_to_string(soup_message_get_uri(message.opaque)) else { return nil }
        defer { g_free(text) }
        return URLParts(String(cString: text))?.origin
    }

    /// Converts a limit to seconds, rounded up, because libsoup accepts only whole seconds and 0 means no
    /// limit.
    private static func seconds(_ limit: Duration) -> guint {
        let (seconds, rest) = limit.components
        return guint(clamping: seconds + (rest > 0 ? 1 : 0))
    }

    /// Sends a message and waits for the head of the response.
    ///
    /// - Returns: The stream of the response's body.
    /// - Throws: `GLibError`, `HTTPFailure` or `CancellationError`.
    func send(_ message: ObjectRef) async throws -> ObjectRef {
        let session = session
        let stream = try await gio { cancellable, callback, data in
            soup_session_send_async(
                session.cast(to: SoupSession.self),
                message.opaque,
                G_PRIORITY_DEFAULT,
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            soup_session_send_finish(session.cast(to: SoupSession.self), result, error)
                .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
        }
        guard let stream else {
            throw HTTPFailure.broken("libsoup returned no response and reported no error")
        }
        return stream
    }

    /// Opens a WebSocket connection and passes the `SoupWebsocketConnection` to `onOpened`.
    ///
    /// - Parameters:
    ///   - message: The message of the request that opens the connection.
    ///   - subprotocols: The subprotocols that the server may choose from.
    ///   - onOpened: Called on the loop before the first message of the server can arrive.
    /// - Throws: `GLibError`, `HTTPFailure` or `CancellationError`.
    func openWebSocket(
        _ message: ObjectRef,
        subprotocols: [String],
        onOpened: @escaping (ObjectRef) -> Void
    ) async throws {
        let session = session
        let isOpen = try await gio { cancellable, callback, data in
            Self.withStrings(subprotocols) { names in
                soup_session_websocket_connect_async(
                    session.cast(to: SoupSession.self),
                    message.opaque,
                    nil,
                    names,
                    0,
                    cancellable,
                    callback,
                    data
                )
            }
        } finish: { result, error in
            let opened = soup_session_websocket_connect_finish(
                session.cast(to: SoupSession.self),
                result,
                error
            )
            guard let opened else { return false }
            onOpened(ObjectRef(taking: UnsafeMutableRawPointer(opened)))
            return true
        }
        guard isOpen else { throw HTTPFailure.broken("libsoup opened no WebSocket and reported no error") }
    }

    /// Passes the texts to `body` as a null-terminated array of C strings; nil if there are none.
    private static func withStrings(
        _ texts: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Void
    ) {
        guard !texts.isEmpty else { return body(nil) }
        var pointers = texts.map { g_strdup($0) } + [nil]
        defer { for pointer in pointers { g_free(pointer) } }
        pointers.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
}
