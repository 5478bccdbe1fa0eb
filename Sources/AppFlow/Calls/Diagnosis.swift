package import Basics
package import CallCore

/// A failure with its cause and a remedy, as text for people and as an error code for scripts.
package struct Diagnosis: Error, Hashable, Sendable {
    package var exit: RunStatus
    /// The error code in kebab case, on which scripts can rely.
    package var code: String
    /// The failure and its cause, without a full stop.
    package var message: String
    /// The suggested remedy.
    package var hint: String
    /// The values in the message, with the keys `server` and `reason`, for messages in other languages.
    package var facts: [String: String] = [:]

    package init(exit: RunStatus, code: String, message: String, hint: String) {
        self.exit = exit
        self.code = code
        self.message = message
        self.hint = hint
    }
}

// MARK: - Calls

extension Diagnosis {
    /// Creates the diagnosis of a call; nil if this side ended it, or if the peer hung up or left after media
    /// had flowed.
    package init?(_ summary: CallSummary) {
        switch summary.end {
        case .hungUp(by: .us), .duration, .sourceEnded, .declined(by: .us): return nil
        case .hungUp(by: .peer):
            guard !summary.wasHeld else { return nil }
            self.init(
                early: summary,
                code: "hung-up",
                hint: "ask the peer to wait until the call is connected"
            )
        case .peerLeft:
            guard !summary.wasHeld else { return nil }
            self.init(
                early: summary,
                code: "peer-left",
                hint: "start the peer again; with --stay, this side waits for it"
            )
        case .declined(by: .peer):
            self.init(
                exit: .timedOut,
                code: "declined",
                message: summary.message,
                hint: "call again when the peer is ready"
            )
        case .timedOut(let wait): self = Diagnosis(wait, summary.message).fitted(to: summary.path)
        case .media(let failure): self = Diagnosis(failure).fitted(to: summary.path)
        case .signaling(let failure): self.init(failure)
        }
    }

    /// Creates the diagnosis of a call that the peer left or hung up before media flowed.
    ///
    /// If the last attempt had failed, its failure is the cause.
    private init(early summary: CallSummary, code: String, hint: String) {
        if case .failed(let failure) = summary.lastFailure {
            self.init(failure)
        } else {
            self.init(exit: .timedOut, code: code, message: summary.message, hint: hint)
        }
    }

    package init(_ wait: CallEnd.Wait, _ message: String) {
        let (code, hint) =
            switch wait {
            case .peer:
                ("no-peer", "start the other side with the same --server and --room, with the other role")
            case .offer: ("no-offer", "check that the peer runs with --caller and places the call")
            case .answer:
                ("no-answer", "check that the peer answers calls; a longer --ring-timeout gives it more time")
            case .description:
                (
                    "no-description",
                    "the peer or this machine is too slow or stuck; try again, or use --retries -1"
                )
            case .media:
                (
                    "no-media",
                    "check that UDP passes between the two machines; across networks, use --stun or --turn"
                )
            }
        self.init(exit: .timedOut, code: code, message: message, hint: hint)
    }
}

// MARK: - Failures

extension Diagnosis {
    package init(_ failure: MediaFailure) { self.init(CallMediaFailure.local(failure)) }

    package init(_ failure: CallMediaFailure) {
        let (code, hint) = Self.codeAndHint(failure)
        let exit: RunStatus =
            if case .local(.recording) = failure { .recordingFailed } else { .mediaFailed }
        self.init(exit: exit, code: code, message: failure.sentence, hint: hint)
        facts["reason"] = failure.sentence
    }

    private static func codeAndHint(_ failure: MediaFailure) -> (String, String) {
        switch failure {
        case .source(_, let hint): ("source-failed", hint)
        case .recording(_, let hint): ("recording-failed", hint)
        case .missingPlugin:
            ("plugin-missing", "install the GStreamer plugins; callrunner doctor names the packages")
        case .pipeline: ("pipeline-failed", "run with --verbose for details, and run callrunner doctor")
        }
    }

    private static func codeAndHint(_ failure: CallMediaFailure) -> (String, String) {
        switch failure {
        case .local(let failure): codeAndHint(failure)
        case .iceFailed:
            (
                "ice-failed",
                "check that UDP passes between the two machines; across networks, use --stun or --turn"
            )
        case .relay(_, let hint, _): ("turn-failed", hint)
        case .noAddress:
            ("no-address", "check `ip address`; --interface, --ipv4 and --ipv6 restrict the addresses in use")
        case .dtlsFailed:
            ("dtls-failed", "check that nothing between the two machines alters UDP packets")
        case .unverifiedPeer:
            (
                "unverified-peer",
                "do not trust this connection: it may be intercepted; check the peer's program, and reach the "
                    + "signaling server over https"
            )
        case .badDescription:
            ("bad-description", "check which program the peer runs, and that it supports WebRTC")
        case .noCommonCodec:
            (
                "no-common-codec",
                "allow more codecs with --codec, or record to .mkv, which supports every codec"
            )
        case .nothingToCarry:
            ("nothing-to-carry", "compare the peer's media with --media, --sendonly and --source here")
        }
    }

    package init(_ failure: SignalingFailure) {
        let (code, hint) =
            switch failure {
            case .unreachable(_, let detail) where detail.hasPrefix("TLS"):
                (
                    "server-unreachable",
                    "check the server's certificate; --cacert FILE trusts its authority, --insecure trusts any"
                )
            case .unreachable:
                ("server-unreachable", "check --server, or start a server with callrunner serve")
            case .notSocketIO:
                ("not-socket-io", "check that --server names a signaling server and its port")
            case .roomFull: ("room-full", "choose another --room, or wait until somebody leaves")
            case .roleTaken:
                ("role-taken", "take the other role (with or without --caller) or another --room")
            case .unauthorized: ("not-authorized", "set CALLRUNNER_TOKEN to a valid token")
            case .forbidden:
                (
                    "forbidden",
                    "a token does not help: if clients reach the server through a proxy or under another "
                        + "name, start it with --public-host NAME; if web pages of other sites connect to it, "
                        + "add --origin URL; if a proxy refused the connection, check the proxy's rules"
                )
            case .refused: ("refused", "check --room, --name and the server's own log")
            case .badEvent:
                ("bad-event", "the server violates the signaling protocol; check which server it is")
            case .tooLarge:
                (
                    "event-too-large",
                    "raise the server's limit (maxHttpBufferSize on Node), or offer less: see --codec and --media"
                )
            case .lost:
                (
                    "signaling-lost",
                    "check the network and the server; with --stay, this side waits without limit"
                )
            }
        self.init(exit: .signalingFailed, code: code, message: failure.sentence, hint: hint)
        if case .unreachable(let url, let detail) = failure { facts = ["server": url, "reason": detail] }
        if case .forbidden(let detail) = failure { facts = ["reason": detail] }
    }
}

// MARK: - Path

extension Diagnosis {
    /// Adapts the message and hint of an ICE, DTLS or media failure to the candidates of both sides.
    func fitted(to path: PathFacts) -> Diagnosis {
        guard ["no-media", "ice-failed", "dtls-failed"].contains(code) else { return self }
        var fitted = self
        if !path.wasConnected { fitted.message += " (\(path))" }
        fitted.hint = Self.hint(path)
        return fitted
    }

    private static func hint(_ path: PathFacts) -> String {
        if path.wasConnected {
            return
                "media flowed and then stopped: check the network between the two machines, and that the peer still runs"
        }
        if path.hasPath {
            return
                "ICE found a path, but the DTLS handshake over it failed: check that large UDP packets pass "
                + "(MTU), and that nothing alters them"
        }
        if let problem = path.relayProblem, path.local.relay == 0 {
            return "no relay on this side, because \(problem): fix that first"
        }
        if path.local.count == 0 {
            return
                "this machine offered the peer no address: check `ip address`, or add --turn, which --relay-only needs"
        }
        if path.remote.count == 0 {
            return
                "the peer sent no ICE candidates: read the peer's error messages, and check that the server "
                + "forwards candidates"
        }
        if path.remote.count == path.remote.named {
            return
                "the peer hides its addresses behind mDNS names: add --turn, or allow its page to use the camera"
        }
        switch (path.local.relay > 0, path.remote.relay > 0) {
        case (false, false) where path.local.reflexive == 0:
            return
                "no relay on either side, only local addresses here: check that UDP passes between the two machines; across "
                + "networks add --stun and --turn"
        case (false, false):
            return "no relay on either side: add --turn, which works where direct paths do not"
        case (true, true):
            return
                "both sides had a relay, but no path worked: check that UDP passes to the relay ports of the "
                + "TURN servers (49152-65535 by default)"
        case (true, false), (false, true):
            return "only one side has a relay: use --turn on both"
        }
    }
}
