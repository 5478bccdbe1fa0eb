internal import Basics
internal import HTTPFront
internal import Hummingbird

/// An error response of the API of live streams, in Mux's shape.
enum LiveRefusal: Error, Hashable {
    case unauthorized
    case notFound
    case noAsset
    case noSigningKey
    case invalid(String)
    case tooMany
    /// The disk has no free space.
    case full
    case unavailable

    private var status: HTTPResponse.Status {
        switch self {
        case .unauthorized: .unauthorized
        case .notFound, .noAsset, .noSigningKey: .notFound
        case .invalid: .badRequest
        case .tooMany: .unprocessableContent
        case .full: .init(code: 507)
        case .unavailable: .serviceUnavailable
        }
    }

    private var type: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .notFound, .noAsset, .noSigningKey: "not_found"
        case .invalid: "invalid_parameters"
        case .tooMany: "too_many_streams"
        case .full: "disk_full"
        case .unavailable: "internal_error"
        }
    }

    private var message: String {
        switch self {
        case .unauthorized: "the token is missing or wrong; it is that of serve --live-token, by HTTP Basic"
        case .notFound: "there is no such live stream"
        case .noAsset: "there is no such asset"
        case .noSigningKey: "there is no such signing key"
        case .invalid(let message): message
        case .tooMany: "there are \(LiveStreams.most) live streams; delete one"
        case .full: "the disk of the server is full"
        case .unavailable: "the server cannot store anything now"
        }
    }

    var response: Response {
        let error: JSON = ["type": .string(type), "messages": [.string(message)]]
        var response = Response(status, ["error": error])
        if self == .unauthorized { response.headers[.wwwAuthenticate] = "Basic realm=\"live streams\"" }
        return response
    }
}
