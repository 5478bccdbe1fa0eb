package import Basics
package import Hummingbird
internal import NIOCore

extension Response {
    /// Creates a JSON response that must not be cached.
    package init(_ status: HTTPResponse.Status, _ json: JSON) {
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        self.init(status, bytes, type: "application/json")
        headers[.cacheControl] = "no-store"
    }

    /// Creates a response with bytes that browsers interpret only as the given media type.
    package init(_ status: HTTPResponse.Status, _ bytes: [UInt8], type: String) {
        self.init(status, body: ResponseBody(sharing: bytes), type: type)
    }

    /// Creates a response with a body that browsers interpret only as the given media type.
    package init(_ status: HTTPResponse.Status, body: ResponseBody, type: String) {
        var headers: HTTPFields = [.contentType: type]
        headers[.xContentTypeOptions] = "nosniff"
        headers.append("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        self.init(status: status, headers: headers, body: body)
    }
}
