internal import ArgumentParser
internal import CallCore
internal import CallFlow
internal import CallWindow
internal import SignalingServer
internal import SocketIO

/// Why a command ends early: what failed and why, what to do, and the exit code of the contract.
struct Failure: Error, Hashable {
    /// Kebab-case, for `--json`.
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

    /// What an error of a lower layer means to the shell.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let failure as MediaFailure: self.init(Diagnosis(failure))
        case let failure as SignalingFailure: self.init(Diagnosis(failure))
        case let error as WindowError:
            self.init(code: "window", message: error.message, hint: error.hint, exit: 3)
        case let error as ServerError:
            self.init(code: "server", message: "\(error)", hint: "name a server with --server", exit: 4)
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
