internal import Basics
internal import HTTPFront
internal import Hummingbird

/// An error response of the chat service, in the same format as that of the accounts service.
struct ChatRefusal: Error {
    let status: HTTPResponse.Status
    let message: String

    init(_ status: HTTPResponse.Status, _ message: String) { (self.status, self.message) = (status, message) }

    static let unauthorized = ChatRefusal(.unauthorized, "a valid access token is needed; sign in")

    var response: Response { Response(status, ["detail": .string(message)]) }
}
