internal import AppFlow
internal import LiveCore
internal import WindowKit

extension Strings {
    /// Describes in one sentence why a stream does not play.
    func sentence(of failure: LiveFailure, _ playback: LivePlayback) -> String {
        let facts = [
            "server": playback.server ?? "", "reason": reason(failure.message), "status": failure.status,
        ]
        let key = key(of: failure, isOfServer: playback.server != nil)
        return facts.reduce(self[key]) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    private func key(of failure: LiveFailure, isOfServer: Bool) -> String {
        let reason = "live.problem.\(failure.reason.rawValue)"
        switch failure.reason {
        case .unreachable where failure.cause == .connectionRefused && isOfServer:
            return "live.problem.no-server"
        case .notLive where failure.cause == .status(404): return "live.problem.not-found"
        case .unreachable, .timedOut, .serverFailed, .refused:
            return isOfServer ? reason : "live.problem.other"
        case .notMedia where !isOfServer: return "live.problem.not-media.file"
        case .file where failure.cause == .missing: return "live.problem.file.missing"
        case .file where failure.cause == .unreadable: return "live.problem.file.unreadable"
        case .file where failure.cause == .irregular: return "live.problem.file.irregular"
        case .notLive, .forbidden, .untrusted, .redirected, .notMedia, .tooLarge: return reason
        case .invalid, .damaged, .unsupported, .file: return reason
        }
    }
}

extension LiveFailure {
    /// The HTTP status; empty if there is none.
    fileprivate var status: String {
        if case .status(let status)? = cause { "\(status)" } else { "" }
    }
}
