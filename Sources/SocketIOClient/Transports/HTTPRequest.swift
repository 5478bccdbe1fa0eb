internal import CGLib
internal import CSoup
internal import GLibKit

/// An HTTP request with a size limit for the response.
struct HTTPRequest: Sendable {
    let url: String
    /// The body of a POST; nil for a GET.
    var text: [UInt8]?
    let settings: SessionSettings
    /// The maximum size of the response in bytes, after decompression.
    let limit: Int

    /// Sends the request and reads the response; cancelling the task closes the connection.
    ///
    /// `onRequested` is called on `LoopActor` when the whole request has been sent.
    /// - Throws: `SocketFailure` or `CancellationError`.
    @LoopActor
    func send(
        in session: ObjectRef,
        onRequested: @escaping @Sendable () -> Void = {}
    ) async throws -> HTTPAnswer {
        let message = try makeMessage()
        message.connect("wrote-body") { _ in onRequested() }
        do {
            let stream = try await begin(message, in: session)
            return HTTPAnswer(
                status: Int(soup_message_get_status(message.opaque).rawValue),
                body: try await read(stream)
            )
        } catch let error as GLibError {
            throw SocketFailure(error, of: message)
        }
    }

    @LoopActor
    private func makeMessage() throws(SocketFailure) -> ObjectRef {
        let message = try settings.makeMessage(text == nil ? "GET" : "POST", url)
        if let text {
            let body = g_bytes_new(text, gsize(text.count))
            soup_message_set_request_body_from_bytes(message.opaque, "text/plain;charset=UTF-8", body)
            g_bytes_unref(body)
        }
        return message
    }

    @LoopActor
    private func begin(_ message: ObjectRef, in session: ObjectRef) async throws -> ObjectRef {
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
        guard let stream else { throw SocketFailure.broken("libsoup gave no answer") }
        return stream
    }

    @LoopActor
    private func read(_ stream: ObjectRef) async throws -> [UInt8] {
        let input = stream.cast(to: GInputStream.self)
        var body: [UInt8] = []
        while true {
            let part = try await gio { cancellable, callback, data in
                g_input_stream_read_bytes_async(
                    input,
                    64 << 10,
                    G_PRIORITY_DEFAULT,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_input_stream_read_bytes_finish(stream.cast(to: GInputStream.self), result, error)
                    .map(Self.contents) ?? []
            }
            guard !part.isEmpty else { return body }
            guard part.count <= limit - body.count else { throw SocketFailure.messageTooLarge(limit: limit) }
            body += part
        }
    }

    /// Copies the bytes of a `GBytes` and releases it.
    private static func contents(_ bytes: OpaquePointer) -> [UInt8] {
        var count: gsize = 0
        let start = g_bytes_get_data(bytes, &count)
        defer { g_bytes_unref(bytes) }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
