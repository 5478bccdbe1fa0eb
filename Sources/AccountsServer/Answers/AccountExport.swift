internal import AccountsCore
internal import Basics
internal import HTTPFront
internal import Hummingbird

/// The export of all data that the server stores about a user.
enum AccountExport {
    static func response(_ accounts: Accounts, _ identity: Accounts.Identity) async throws -> Response {
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
        var response = Response(.ok, .object(answer))
        response.headers[.contentDisposition] = "attachment; filename=\"callrunner-account.json\""
        return response
    }
}
