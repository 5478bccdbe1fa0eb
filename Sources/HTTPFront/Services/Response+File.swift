internal import FrontParsers
package import Hummingbird
internal import NIOCore
internal import NIOPosix
internal import _NIOFileSystem

extension Response {
    /// The length in bytes of the parts that are read, of which up to eight are read ahead.
    private static let partLength = 32_768

    /// Answers a request with a file, or with the part of it that the request's `Range` field selects (RFC 9110 §14).
    ///
    /// The file is read while it is sent, and must not change during that time: if it becomes shorter, the connection
    /// is closed.
    /// - Throws: `HTTPError` with 404 if there is no regular file at `path`.
    package static func file(
        _ path: String,
        type: String,
        headers: HTTPFields = [:],
        for request: Request,
        _ context: WebContext
    ) async throws -> Response {
        let info = try? await FileSystem.shared.info(forFileAt: FilePath(path))
        guard let info, info.type == .regular else { throw HTTPError(.notFound) }
        let length = Int(info.size)
        let time = info.lastDataModificationTime
        let tag =
            "\""
            + [length, Int(time.seconds), Int(time.nanoseconds)]
            .map { String($0, radix: 16) }.joined(separator: "-") + "\""
        var headers = headers
        headers[.eTag] = tag
        headers[.acceptRanges] = "bytes"
        guard !EntityTag.matches(tag, request.headers[values: .ifNoneMatch]) else {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = type
        let condition = request.headers[.ifRange]
        let isRanged = !context.isHead && (condition == nil || condition == tag)
        let field = isRanged ? request.headers[.range] : nil
        switch ByteRange(field, length: length) {
        case .whole:
            let body = try await FileIO().loadFile(path: path, context: context, chunkLength: partLength)
            return Response(status: .ok, headers: headers, body: body)
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound)/\(length)"
            let body = try await FileIO()
                .loadFile(path: path, range: range, context: context, chunkLength: partLength)
            return Response(status: .partialContent, headers: headers, body: body)
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(length)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
    }
}
