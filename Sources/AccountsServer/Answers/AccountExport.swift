internal import AccountsCore
internal import Basics
internal import HTTPFront
internal import Hummingbird
internal import NIOCore

/// The export of all data that the server stores about a user.
enum AccountExport {
    /// The time between two checks whether the user's session has ended.
    private static let checkInterval = Duration.seconds(10)

    /// Creates the response; the data of other services is read while it is sent.
    static func response(
        _ accounts: Accounts,
        _ identity: Accounts.Identity,
        _ parts: [any ExportPart]
    ) async throws -> Response {
        let archive = try await accounts.read(identity) { users, sessions in
            (
                profile: try users.profile(of: identity.user), picture: try users.picture(of: identity.user),
                sessions: try sessions.sessions(of: identity.user)
            )
        }
        guard let profile = archive.profile else { throw Accounts.noUser }
        var answer = profile.json.objectValue ?? JSONObject()
        answer["avatar"] =
            archive.picture.map { picture in
                [
                    "filename": .string(picture.filename), "type": .string(picture.type),
                    "base_64": .string(Base64.encode(picture.bytes)),
                ]
            } ?? .null
        answer["sessions"] = .array(archive.sessions.map { $0.json(seenFrom: identity) })
        var response = Response(
            .ok,
            body: body(.object(answer), parts, accounts, identity),
            type: "application/json"
        )
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentDisposition] = "attachment; filename=\"callrunner-account.json\""
        return response
    }

    private static func body(
        _ answer: JSON,
        _ parts: [any ExportPart],
        _ accounts: Accounts,
        _ identity: Accounts.Identity
    ) -> ResponseBody {
        ResponseBody { writer in
            var checked = accounts.steadyTime
            // Further members follow before the closing brace.
            try await writer.write(ByteBuffer(bytes: answer.serialized().utf8.dropLast()))
            for part in parts {
                try await writer.write(ByteBuffer(string: ",\"\(part.name)\":"))
                try await part.write(about: identity.user) { bytes in
                    // A client may read for hours, in which its session can end.
                    if accounts.steadyTime - checked >= checkInterval {
                        try await accounts.read(identity) { _, _ in }
                        checked = accounts.steadyTime
                    }
                    try await writer.write(ByteBuffer(bytes: bytes))
                }
            }
            try await writer.write(ByteBuffer(string: ",\(ExportEnd.text)"))
            try await writer.finish(nil)
        }
    }
}
