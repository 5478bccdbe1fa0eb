internal import AccountsCore
internal import Basics

/// The description of the accounts API: an OpenAPI 3.1 document, and a plain page created from it.
enum AccountsDescription {
    /// A request of the API.
    private struct Operation {
        let method: String
        let path: String
        let summary: String
        /// The name of the schema of the body; nil without a body.
        var body: String?
        /// The status of a successful response, and the name of the schema of its body, if any.
        let success: (status: String, schema: String?)
        /// The statuses of error responses, in addition to those that all requests share.
        var refusals: [String] = []
        var needsToken = true
        /// Whether the body may be absent.
        var isBodyOptional = false
    }

    private static let root = "/api/v1/users"

    private static let operations = [
        Operation(
            method: "post",
            path: "\(root)/send-auth-code/",
            summary: "Send a code to a phone.",
            body: "Phone",
            success: ("201", "Success"),
            needsToken: false
        ),
        Operation(
            method: "post",
            path: "\(root)/check-auth-code/",
            summary: "Check a code, and sign in if the phone is registered.",
            body: "PhoneAndCode",
            success: ("200", "CodeCheck"),
            refusals: ["404"],
            needsToken: false
        ),
        Operation(
            method: "post",
            path: "\(root)/register/",
            summary: "Register with a phone that was verified within the last 10 minutes.",
            body: "Registration",
            success: ("201", "Tokens"),
            refusals: ["403"],
            needsToken: false
        ),
        Operation(
            method: "post",
            path: "\(root)/refresh-token/",
            summary:
                "Replace both tokens; the refresh token may also be sent as the Bearer token, without a body.",
            body: "RefreshToken",
            success: ("200", "Tokens"),
            refusals: ["401"],
            needsToken: false,
            isBodyOptional: true
        ),
        Operation(
            method: "get",
            path: "\(root)/check-jwt/",
            summary: "Check an access token.",
            success: ("200", "Success")
        ),
        Operation(
            method: "get",
            path: "\(root)/me/",
            summary: "Get the user's own profile.",
            success: ("200", "Profile")
        ),
        Operation(
            method: "put",
            path: "\(root)/me/",
            summary: "Change the user's own profile; absent fields stay, null or an empty text clears one.",
            body: "ProfileChange",
            success: ("200", "Avatars"),
            refusals: ["507"]
        ),
        Operation(
            method: "delete",
            path: "\(root)/me/",
            summary: "Delete the account; needs a fresh code.",
            body: "Code",
            success: ("204", nil),
            refusals: ["403"]
        ),
        Operation(
            method: "get",
            path: "\(root)/me/export/",
            summary: "Get all data that the server stores about the user.",
            success: ("200", "Export")
        ),
        Operation(
            method: "get",
            path: "\(root)/sessions/",
            summary: "List the user's sign-ins.",
            success: ("200", "Sessions")
        ),
        Operation(
            method: "delete",
            path: "\(root)/sessions/{id}/",
            summary: "End a sign-in.",
            success: ("204", nil),
            refusals: ["404"]
        ),
        Operation(
            method: "get",
            path: "/\(UserTable.pictures){id}",
            summary: "Get a picture.",
            success: ("200", "Picture"),
            refusals: ["404"]
        ),
    ]

    private static let meanings = [
        "200": "The answer.", "201": "Done.", "204": "Done.", "400": "The request is malformed.",
        "401": "The token is not valid.", "403": "This is not allowed.", "404": "Not found.",
        "413": "The request is too large.", "422": "A field is invalid or taken.",
        "429": "Too many requests; Retry-After tells when to try again.",
        "503": "The server cannot do this now.", "507": "The disk of the server is full.",
    ]

    /// The OpenAPI document.
    static let json: JSON = {
        var paths = JSONObject()
        for operation in operations {
            var path = paths[operation.path]?.objectValue ?? JSONObject()
            path[operation.method] = description(operation)
            paths[operation.path] = .object(path)
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Accounts of callrunner", "version": "1"],
            "paths": .object(paths),
            "components": [
                "schemas": AccountsSchemas.json,
                "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]],
            ],
        ]
    }()

    private static func description(_ operation: Operation) -> JSON {
        var answers = JSONObject()
        answers[operation.success.status] = answer(operation.success.status, operation.success.schema)
        var refusals = Set(operation.refusals + ["400", "429", "503"])
        if operation.body != nil { refusals.formUnion(["413", "422"]) }
        if operation.needsToken { refusals.insert("401") }
        for status in refusals.sorted() { answers[status] = answer(status, schema(ofRefusal: status)) }
        var description: JSONObject = [
            "summary": .string(operation.summary), "responses": .object(answers),
        ]
        if let body = operation.body {
            description["requestBody"] = [
                "required": .bool(!operation.isBodyOptional),
                "content": ["application/json": ["schema": reference(body)]],
            ]
        }
        if operation.path.contains("{id}") {
            description["parameters"] = [
                ["name": "id", "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
            ]
        }
        if operation.needsToken { description["security"] = [["bearer": []]] }
        return .object(description)
    }

    private static func schema(ofRefusal status: String) -> String? {
        switch status {
        case "401": "Unauthorized"
        case "404": "NotFound"
        case "422": "Invalid"
        // The HTTP front also sends these statuses, without a body.
        case "429", "503": nil
        default: "Refusal"
        }
    }

    private static func answer(_ status: String, _ schema: String?) -> JSON {
        var answer: JSONObject = ["description": .string(meanings[status] ?? "")]
        if schema == "Picture" {
            let picture: JSON = ["schema": ["type": "string", "format": "binary"]]
            answer["content"] = ["image/jpeg": picture, "image/png": picture, "image/webp": picture]
        } else if let schema {
            answer["content"] = ["application/json": ["schema": reference(schema)]]
        }
        return .object(answer)
    }

    private static func reference(_ schema: String) -> JSON { ["$ref": "#/components/schemas/\(schema)"] }

    /// A plain page with a table of the requests.
    static let page: String = {
        let rows = operations.map { operation in
            """
            <tr><td><code>\(operation.method.uppercased()) \(operation.path)</code></td>\
            <td>\(operation.summary)</td>\
            <td>\(operation.body.map { "<code>\($0)</code>" } ?? "")</td>\
            <td>\(operation.needsToken ? "access token" : "")</td></tr>
            """
        }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Accounts of callrunner</title>
            <meta name="viewport" content="width=device-width">
            <style>
            :root { color-scheme: light dark }
            body { font: 16px/1.5 sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
            td, th { border-bottom: 1px solid #8886; padding: .5rem; text-align: left; vertical-align: top }
            table { border-collapse: collapse }
            </style></head><body>
            <h1>Accounts of callrunner</h1>
            <p>Requests and answers are JSON. Their schemas are in <a href="/openapi.json">/openapi.json</a>
            (OpenAPI 3.1).</p>
            <table><tr><th>Request</th><th>Purpose</th><th>Body</th><th>Needs</th></tr>
            \(rows.joined(separator: "\n"))
            </table></body></html>

            """
    }()
}
