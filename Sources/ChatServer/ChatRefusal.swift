internal import Basics
internal import HTTPFront
internal import Hummingbird

/// An HTTP answer of the chat that is no success, in the form of the accounts' refusals.
struct ChatRefusal: Error {
    let status: HTTPResponse.Status
    let message: String

    init(_ status: HTTPResponse.Status, _ message: String) { (self.status, self.message) = (status, message) }

    static let unauthorized = ChatRefusal(.unauthorized, "a valid access token is needed; sign in")

    var response: Response { Response(status, ["detail": .string(message)]) }
}
