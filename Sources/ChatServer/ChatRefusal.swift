internal import Basics
internal import Hummingbird
internal import NIOCore

/// An HTTP answer of the chat that is no success, in the form of the accounts' refusals.
struct ChatRefusal: Error {
    let status: HTTPResponse.Status
    let message: String

    init(_ status: HTTPResponse.Status, _ message: String) { (self.status, self.message) = (status, message) }

    static let unauthorized = ChatRefusal(.unauthorized, "a valid access token is needed; sign in")

    var response: Response { Response(status, json: ["detail": .string(message)]) }
}

extension Response {
    /// Creates an answer in JSON, which no cache keeps.
    init(_ status: HTTPResponse.Status, json: JSON) {
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        self.init(
            status: status,
            headers: [
                .contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
