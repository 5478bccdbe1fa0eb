internal import CGLib
internal import CSoup
internal import GLibKit

extension HTTPFailure {
    /// Creates the failure for an error that GIO or libsoup reported for a request.
    init(_ error: GLibError, of request: ObjectRef, idleLimit: Duration) {
        let status = soup_message_get_status(request.opaque).rawValue
        switch error.domain {
        case "soup-websocket-error-quark" where status > 0: self = .status(Int(status))
        case "soup-session-error-quark" where Self.isLostRedirect(error): self = .redirected(error.message)
        case "soup-websocket-error-quark", "soup-session-error-quark": self = .malformed(error.message)
        case "g-tls-error-quark":
            self = .untrusted(Self.certificateErrors(of: request) ?? error.message)
        case "g-io-error-quark" where Self.isBrokenResponse(error): self = .malformed(error.message)
        case "g-io-error-quark" where error.code == Int(G_IO_ERROR_CONNECTION_REFUSED.rawValue):
            self = .refused(error.message)
        case "g-io-error-quark" where idleLimit > .zero && error.code == Int(G_IO_ERROR_TIMED_OUT.rawValue):
            self = .timedOut(after: idleLimit)
        default: self = .unreachable(error.message)
        }
    }

    /// Creates the failure for an error on an open WebSocket connection.
    init(onOpenWebSocket error: GLibError?, limit: Int) {
        let isTooLarge =
            error?.domain == "soup-websocket-error-quark"
            && error?.code == Int(SOUP_WEBSOCKET_CLOSE_TOO_BIG.rawValue)
        self =
            if isTooLarge {
                .tooLarge(limit: limit)
            } else if let error, error.isSilence {
                .unreachable(error.message)
            } else {
                .broken(error?.message ?? "the connection broke")
            }
    }

    private static func isLostRedirect(_ error: GLibError) -> Bool {
        [
            SOUP_SESSION_ERROR_TOO_MANY_REDIRECTS, SOUP_SESSION_ERROR_REDIRECT_NO_LOCATION,
            SOUP_SESSION_ERROR_REDIRECT_BAD_URI,
        ].contains { Int($0.rawValue) == error.code }
    }

    /// Checks whether the server accepted the connection and then closed it without a response.
    private static func isBrokenResponse(_ error: GLibError) -> Bool {
        [G_IO_ERROR_PARTIAL_INPUT, G_IO_ERROR_CONNECTION_CLOSED, G_IO_ERROR_FAILED]
            .contains { Int($0.rawValue) == error.code }
    }

    private static func certificateErrors(of request: ObjectRef) -> String? {
        let flags = soup_message_get_tls_peer_certificate_errors(request.opaque).rawValue
        let meanings: [(GTlsCertificateFlags, String)] = [
            (G_TLS_CERTIFICATE_UNKNOWN_CA, "not signed by a trusted authority"),
            (G_TLS_CERTIFICATE_BAD_IDENTITY, "issued for another host"),
            (G_TLS_CERTIFICATE_NOT_ACTIVATED, "not valid yet"),
            (G_TLS_CERTIFICATE_EXPIRED, "expired"),
            (G_TLS_CERTIFICATE_REVOKED, "revoked"),
            (G_TLS_CERTIFICATE_INSECURE, "too weak"),
        ]
        let found = meanings.filter { flags & $0.0.rawValue != 0 }.map(\.1)
        return found.isEmpty ? nil : "the server's certificate is " + found.joined(separator: ", ")
    }
}

extension GLibError {
    /// Whether the network failed without a message from the peer: by a timeout, or without a route to the
    /// peer.
    fileprivate var isSilence: Bool {
        domain == "g-io-error-quark"
            && [G_IO_ERROR_TIMED_OUT, G_IO_ERROR_HOST_UNREACHABLE, G_IO_ERROR_NETWORK_UNREACHABLE]
                .contains { Int($0.rawValue) == code }
    }
}
