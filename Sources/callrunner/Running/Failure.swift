internal import AppFlow
internal import ArgumentParser
internal import Basics
internal import CallCore
internal import HTTPFront
internal import SignalingServer
internal import WindowKit

/// A failure that ends a command: what failed and why, what to do, and the exit code.
struct Failure: Error, Hashable {
    /// The code of the failure for `--json`, in kebab-case.
    var code: String
    var message: String
    var hint: String?
    var exit: Int32

    init(code: String, message: String, hint: String?, exit: Int32) {
        self.code = code
        self.message = message
        self.hint = hint
        self.exit = exit
    }

    /// Creates a failure for wrong usage.
    static func usage(_ message: String, hint: String = CommandLineError.helpHint) -> Failure {
        Failure(code: "usage", message: message, hint: hint, exit: RunStatus.usage.rawValue)
    }

    /// Creates a failure for a window that cannot be opened; `instead` describes the alternative.
    init(_ error: WindowError, instead: String) {
        self.init(
            code: "window",
            message: error.message,
            hint: "\(error.hint), or \(instead)",
            exit: RunStatus.usage.rawValue
        )
    }

    /// Creates a failure from an error of a lower layer.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let failure as CallMediaFailure: self.init(Diagnosis(failure))
        case let failure as MediaFailure: self.init(Diagnosis(failure))
        case let failure as SignalingFailure: self.init(Diagnosis(failure))
        case let error as WindowError: self.init(error, instead: "run with --headless")
        case ServerError.addressInUse(let host, let port):
            self.init(
                code: "address-in-use",
                message: "\(host):\(port) is in use",
                hint: "choose another --port; `ss -ltnp` shows the process that listens there",
                exit: RunStatus.signalingFailed.rawValue
            )
        case let error as ClusterError:
            self.init(
                code: "redis",
                message: "\(error)",
                hint: "check the file given with --redis-cacert",
                exit: RunStatus.usage.rawValue
            )
        case let error as ServerError:
            self.init(
                code: "server-failed",
                message: "\(error)",
                hint: "choose another --host or --port",
                exit: RunStatus.signalingFailed.rawValue
            )
        default: self.init(code: "internal", message: "\(error)", hint: nil, exit: 3)
        }
    }

    private init(_ diagnosis: Diagnosis) {
        self.init(
            code: diagnosis.code,
            message: diagnosis.message,
            hint: diagnosis.hint,
            exit: diagnosis.exit.rawValue
        )
    }

    var fields: JSONObject {
        var fields: JSONObject = ["code": .string(code), "message": .string(message)]
        if let hint { fields["hint"] = .string(hint) }
        fields["exit"] = .int(Int(exit))
        return fields
    }
}
