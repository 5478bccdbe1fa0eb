package import Basics
package import Hummingbird
internal import NIOCore

extension Response {
    /// Creates an answer in JSON, which no cache keeps.
    package init(_ status: HTTPResponse.Status, _ json: JSON) {
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        self.init(status, bytes, type: "application/json")
        headers[.cacheControl] = "no-store"
    }

    /// Creates an answer with bytes, which browsers take for nothing but the given type.
    package init(_ status: HTTPResponse.Status, _ bytes: [UInt8], type: String) {
        self.init(status, body: ResponseBody(sharing: bytes), type: type)
    }

    /// Creates an answer with a body, which browsers take for nothing but the given type.
    package init(_ status: HTTPResponse.Status, body: ResponseBody, type: String) {
        var headers: HTTPFields = [.contentType: type]
        headers[.xContentTypeOptions] = "nosniff"
        headers.append("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        self.init(status: status, headers: headers, body: body)
    }
}
