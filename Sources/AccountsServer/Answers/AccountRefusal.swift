internal import AccountsCore
internal import Basics
internal import HTTPFront
internal import Hummingbird

/// An error response of the accounts service.
enum AccountRefusal: Error, Hashable {
    /// An invalid field; an empty name stands for the whole body.
    struct Field: Hashable {
        let name: String
        let message: String
        let kind: String

        init(_ name: String, _ message: String, kind: String = "value_error") {
            (self.name, self.message, self.kind) = (name, message, kind)
        }
    }

    case badRequest(String)
    case unauthorized(String)
    case forbidden(String)
    case notFound(String)
    case methodNotAllowed(String)
    case tooLarge(String)
    case invalid([Field])
    /// There were too many requests; the next one is allowed after this time.
    case tooMany(Duration)
    /// The server cannot process the request at the moment.
    case unavailable(String)
    /// The disk has no free space for user data.
    case full

    private var status: HTTPResponse.Status {
        switch self {
        case .badRequest: .badRequest
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .tooLarge: .contentTooLarge
        case .invalid: .unprocessableContent
        case .tooMany: .tooManyRequests
        case .unavailable: .serviceUnavailable
        case .full: .init(code: 507)
        }
    }

    private var body: JSON {
        switch self {
        case .unauthorized(let message):
            ["detail": .string(message), "body": "sign in again, or refresh the access token"]
        case .notFound(let message): ["detail": ["message": .string(message)]]
        case .badRequest(let message), .forbidden(let message), .methodNotAllowed(let message),
            .tooLarge(let message), .unavailable(let message):
            ["detail": .string(message)]
        case .tooMany: ["detail": "too many requests; try again later"]
        case .full: ["detail": "the disk of the server is full"]
        case .invalid(let fields): ["detail": .array(fields.map(Self.json))]
        }
    }

    private static func json(_ field: Field) -> JSON {
        let place: [JSON] = field.name.isEmpty ? ["body"] : ["body", .string(field.name)]
        return ["loc": .array(place), "msg": .string(field.message), "type": .string(field.kind)]
    }

    var response: Response {
        var response = Response(status, body)
        switch self {
        case .unauthorized: response.headers[.wwwAuthenticate] = "Bearer"
        case .tooMany(let wait):
            response.headers[.retryAfter] = "\(max(1, Int((wait / .seconds(1)).rounded(.up))))"
        case .unavailable: response.headers[.retryAfter] = "5"
        default: break
        }
        return response
    }
}

extension AccountRefusal {
    /// Creates the refusal for an error response of the HTTP framework, such as for a body that is too long; nil for
    /// others.
    init?(foreign response: Response) {
        guard response.headers[.xContentTypeOptions] == nil else { return nil }
        switch response.status {
        case .badRequest: self = .badRequest("the request has a body, but none is expected")
        case .notFound: self = .notFound("there is no such page")
        case .methodNotAllowed: self = .methodNotAllowed("this method is not allowed here")
        case .contentTooLarge: self = .tooLarge("the request is too large")
        default: return nil
        }
    }
}
