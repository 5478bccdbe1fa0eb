package import CGLib

/// A Swift copy of a `GError`.
package struct GLibError: Error, Hashable, Sendable, CustomStringConvertible {
    package let domain: String
    package let code: Int
    package let message: String

    package init(domain: String, code: Int, message: String) {
        self.domain = domain
        self.code = code
        self.message = message
    }

    /// Copies `error` and frees it.
    package init(taking error: UnsafeMutablePointer<GError>) {
        self.init(copying: error)
        g_error_free(error)
    }

    /// Copies `error`, which its owner still has to free.
    package init(copying error: UnsafePointer<GError>) {
        domain = g_quark_to_string(error.pointee.domain).map { String(cString: $0) } ?? ""
        code = Int(error.pointee.code)
        message = error.pointee.message.map { String(cString: $0) } ?? "unknown error"
    }

    package var description: String { message }

    /// Whether this is GIO's error for a cancelled `GCancellable`.
    package var isCancelled: Bool {
        domain == g_quark_to_string(g_io_error_quark()).map { String(cString: $0) }
            && code == Int(G_IO_ERROR_CANCELLED.rawValue)
    }
}

/// Calls a C function that reports failure through a `GError` out parameter, and throws that error.
package func withGError<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
) throws(GLibError) -> Result {
    var error: UnsafeMutablePointer<GError>?
    let result = body(&error)
    if let error { throw GLibError(taking: error) }
    return result
}
