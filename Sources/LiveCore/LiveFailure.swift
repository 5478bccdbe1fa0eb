/// The reason why a stream cannot be played or published.
package struct LiveFailure: Error, Codable, Hashable, Sendable {
    package enum Reason: String, Codable, Hashable, Sendable, CaseIterable {
        /// The address is invalid.
        case invalid
        /// The server was not reached, or the connection broke.
        case unreachable
        /// The server did not send enough in time.
        case timedOut = "timed-out"
        /// The stream does not exist on the server (404), or it is not being published (412).
        case notLive = "not-live"
        /// The server requires a token or does not accept the given one (401, 403).
        case forbidden
        /// The server refused the request with another status below 500.
        case refused
        /// The server failed, with a status of 500 or above.
        case serverFailed = "server-failed"
        /// TLS failed, or the server's certificate is not trusted.
        case untrusted
        /// The server redirects in a loop or too often.
        case redirected
        /// The resource at the address is neither a playlist nor media.
        case notMedia = "not-media"
        /// The playlist or a segment is damaged.
        case damaged
        /// A playlist or a segment exceeds its size limit.
        case tooLarge = "too-large"
        /// The codec or the encryption is not supported, or a GStreamer plugin is missing.
        case unsupported
        /// The file is missing or cannot be read.
        case file
    }

    /// The event on the connection to the server, or the state of the file, that caused the failure.
    package enum Cause: Codable, Hashable, Sendable {
        /// No program listens on the port of the server.
        case connectionRefused
        /// The server has answered with this HTTP status.
        case status(Int)
        /// There is no file at the path.
        case missing
        /// The user may not read the file.
        case unreadable
        /// A folder, a pipe or something else at the path is not a file with contents.
        case irregular
    }

    package var reason: Reason
    /// The cause, for programs that describe it in their own words; nil if it is unknown.
    package var cause: Cause?
    /// The reason for the user, without a full stop.
    package var message: String

    package init(_ reason: Reason, _ message: String, cause: Cause? = nil) {
        (self.reason, self.message, self.cause) = (reason, message, cause)
    }

    /// A hint for the user.
    package var hint: String {
        switch reason {
        case .invalid: "give the URL of a playlist (https://HOST/NAME.m3u8), a playback ID or a file"
        case .unreachable: "check the address and the network, and that the server runs"
        case .timedOut: "check the network, then try again"
        case .notLive: "start publishing the stream, or check its ID"
        case .forbidden: "check the token in the address (?token=…)"
        case .refused: "check that the address names the right server and stream"
        case .serverFailed: "try again later, or ask the operator of the server"
        case .untrusted: "check the server's certificate and this computer's clock"
        case .redirected: "the server's redirects do not lead to the stream: tell the operator of the server"
        case .notMedia: "check that the address names a playlist (.m3u8) or a media file"
        case .damaged: "check the file or the encoder of the stream; `ffprobe ADDRESS` shows what it sends"
        case .tooLarge: "ask the operator of the server for shorter segments or a shorter playlist"
        case .unsupported: "`callrunner doctor` shows what this computer can play"
        case .file: "check the path and the permissions of the file"
        }
    }

    /// The reaction of a player to a failure, if the user does nothing.
    package enum Remedy: Hashable, Sendable {
        /// The player retries after increasing delays.
        case retry
        /// The player checks at regular intervals whether the stream is published.
        case poll
        /// The player waits for the user.
        case none
    }

    package var remedy: Remedy {
        switch reason {
        case .unreachable, .timedOut, .serverFailed, .damaged: .retry
        case .notLive: .poll
        case .invalid, .forbidden, .refused, .untrusted, .redirected, .notMedia, .tooLarge, .unsupported,
            .file:
            .none
        }
    }
}
