internal import CGLib
internal import CSoup
internal import GLibKit
internal import Glibc

/// One request and its response, on a session.
@LoopActor
final class HTTPExchange {
    private let session: HTTPSession
    private let request: HTTPRequest
    private let message: ObjectRef
    private let onProgress: HTTPProgress.Handler?
    private var progress = HTTPProgress()
    private var unfinished: UnfinishedMessage?

    /// The maximum number of bytes of a response's body that are read in one operation.
    private static let partSize = 64 << 10
    /// The maximum number of received bytes for the head of a response, or for one part of its body.
    ///
    /// It is eight times the size of a part, because a chunk with one byte of content takes six bytes.
    private static let transferLimit = 512 << 10
    /// The maximum size in bytes of the body of an unsuccessful response to a download.
    private static let failureLimit = 64 << 10

    /// Prepares the request.
    ///
    /// `onSent` is called on the loop when the whole request has been sent.
    /// - Throws: `HTTPFailure.invalidRequest`, or `.file` if the file to send cannot be read.
    init(
        _ request: HTTPRequest,
        on session: HTTPSession,
        onSent: @escaping @Sendable () -> Void,
        onProgress: HTTPProgress.Handler?
    ) async throws {
        (self.session, self.request, self.onProgress) = (session, request, onProgress)
        message = try session.makeMessage(request)
        message.connect("wrote-body") { _ in onSent() }
        limitResponse()
        switch request.body {
        case nil: break
        case .bytes(let bytes, let type):
            let body = g_bytes_new(bytes, gsize(bytes.count))
            soup_message_set_request_body_from_bytes(message.opaque, type, body)
            g_bytes_unref(body)
            progress.sentTotal = bytes.count
        case .file(let path, let type): try await setBody(path, type)
        }
        guard onProgress != nil, request.body != nil else { return }
        message.connect("wrote-body-data") { [weak self] arguments in
            let count = Int(arguments.uint(1))
            LoopActor.assumeIsolated { self?.sent(count) }
        }
    }

    /// Sends the request and collects the response's body in memory.
    ///
    /// - Throws: `HTTPFailure` or `CancellationError`.
    func perform() async throws -> HTTPResponse {
        try await withResponse { stream in
            var body: [UInt8] = []
            try await self.read(stream, limit: self.request.limit) { body += $0 }
            return HTTPResponse(to: self.message, body: body)
        }
    }

    /// Sends the request, and passes on first the head of the response with an empty body and then the body in parts.
    ///
    /// - Throws: `HTTPFailure`, `CancellationError`, or an error of the handlers.
    func pass(
        _ onHead: (HTTPResponse) async throws -> Void,
        _ onPart: ([UInt8]) async throws -> Void
    ) async throws {
        try await withResponse { stream in
            try await onHead(HTTPResponse(to: self.message, body: []))
            try await self.read(stream, limit: self.request.limit, onPart)
        }
    }

    /// Sends the request and writes the response's body to a new file at `path`, which appears complete or
    /// not at all and replaces an existing one.
    ///
    /// The body of an unsuccessful response is collected in memory, and no file is written.
    /// - Throws: `HTTPFailure` or `CancellationError`.
    func download(to path: String) async throws -> HTTPResponse {
        try await withResponse { stream in
            var body: [UInt8] = []
            if HTTPResponse(to: self.message, body: []).isSuccess {
                try await self.save(stream, at: path)
            } else {
                // The status is returned even if the body cannot be read.
                do {
                    try await self.read(stream, limit: Self.failureLimit) { body += $0 }
                } catch is HTTPFailure {
                    Self.abandon(stream)
                }
            }
            return HTTPResponse(to: self.message, body: body)
        }
    }

    /// Sends the request and passes the stream of the response's body to `body`, which reads it to its end or throws.
    ///
    /// - Throws: `HTTPFailure`, `CancellationError`, or an error of `body`.
    private func withResponse<Result>(_ body: (ObjectRef) async throws -> Result) async throws -> Result {
        // Otherwise `unfinished` would keep the connection open.
        defer { unfinished?.cancel() }
        do {
            let stream = try await session.send(message)
            do {
                guard !request.acceptsCompression || !ContentDecoding.isDisabled(in: message) else {
                    throw HTTPFailure.malformed("its body has several content codings")
                }
                return try await body(stream)
            } catch {
                Self.abandon(stream)
                throw error
            }
        } catch let error as GLibError {
            throw unfinished?.failure(limit: Self.transferLimit)
                ?? HTTPFailure(error, of: message, idleLimit: session.settings.idleLimit)
        }
    }

    /// Limits the bytes that the server sends before the head of the response or without content, starting when the
    /// request's head is written.
    private func limitResponse() {
        message.connect("wrote-headers") { [weak self] _ in
            LoopActor.assumeIsolated {
                guard let self else { return }
                self.unfinished?.cancel()
                self.unfinished = self.session.settings.links.openConnection(of: self.message)
                    .map { UnfinishedMessage(on: $0, limit: Self.transferLimit) }
            }
        }
        message.connect("got-headers") { [weak self] _ in
            LoopActor.assumeIsolated { self?.unfinished?.complete() }
        }
    }

    // MARK: - The request's body

    private func setBody(_ path: String, _ type: String) async throws {
        // Opening a pipe would wait for a writer.
        guard FileStatus(path: path)?.isRegularFile ?? true else {
            throw HTTPFailure.file(path: path, reason: "it is not a regular file")
        }
        let file = ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
        do {
            let stream = try await gio { cancellable, callback, data in
                g_file_read_async(file.opaque, G_PRIORITY_DEFAULT, cancellable, callback, data)
            } finish: { result, error in
                g_file_read_finish(file.opaque, result, error)
                    .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
            }
            guard let stream else { throw HTTPFailure.file(path: path, reason: "it cannot be opened") }
            let information = try withGError { error in
                g_file_input_stream_query_info(
                    stream.cast(to: GFileInputStream.self),
                    G_FILE_ATTRIBUTE_STANDARD_SIZE,
                    nil,
                    error
                )
            }
            let size = g_file_info_get_size(information)
            g_object_unref(UnsafeMutableRawPointer(information))
            progress.sentTotal = Int(size)
            soup_message_set_request_body(
                message.opaque,
                type,
                stream.cast(to: GInputStream.self),
                gssize(size)
            )
        } catch let error as GLibError {
            throw HTTPFailure.file(path: path, reason: error.message)
        }
    }

    private func sent(_ count: Int) {
        progress.sent += count
        onProgress?(progress)
    }

    // MARK: - The response's body

    /// Reads the body to its end and passes it on in parts.
    private func read(
        _ stream: ObjectRef,
        limit: Int,
        _ body: ([UInt8]) async throws -> Void
    ) async throws {
        let headers = soup_message_get_response_headers(message.opaque)
        // libsoup reports no length for a connection that the server closes after the response.
        let announced = soup_message_headers_get_one(headers, "Content-Length").map { String(cString: $0) }
        if request.method != "HEAD", soup_message_headers_get_one(headers, "Content-Encoding") == nil,
            let length = announced.flatMap({ Int($0) })
        {
            guard length <= limit else { throw HTTPFailure.tooLarge(limit: limit) }
            progress.receivedTotal = length
        }
        while true {
            let part = try await stream.read(atMost: Self.partSize)
            guard !part.isEmpty else {
                guard progress.received >= progress.receivedTotal ?? 0 else {
                    throw HTTPFailure.broken("the response ended early")
                }
                return
            }
            guard part.count <= limit - progress.received else { throw HTTPFailure.tooLarge(limit: limit) }
            try await body(part)
            progress.received += part.count
            unfinished?.complete()
            onProgress?(progress)
        }
    }

    /// Closes the connection of a response that is not read to its end.
    ///
    /// Otherwise libsoup would read the rest when it releases the stream, and the loop would wait for it.
    private static func abandon(_ stream: ObjectRef) {
        let cancelled = ObjectRef(taking: g_cancellable_new())
        g_cancellable_cancel(cancelled.cast(to: GCancellable.self))
        _ = g_input_stream_close(
            stream.cast(to: GInputStream.self),
            cancelled.cast(to: GCancellable.self),
            nil
        )
    }

    private func save(_ stream: ObjectRef, at path: String) async throws {
        // In the same folder, with a name that nobody can guess.
        let part = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
        do {
            let file = try await NewFile(at: part)
            try await read(stream, limit: request.limit) { try await file.append($0) }
            try await file.close()
            guard rename(part, path) == 0 else {
                throw HTTPFailure.file(path: path, reason: String(cString: strerror(errno)))
            }
        } catch {
            unlink(part)
            throw error
        }
    }
}
