/// Why a command ends early: what failed and why, what to do, and the exit code of the contract.
struct Failure: Error, Hashable {
    /// Kebab-case, for `--json`.
    var code: String
    var message: String
    var hint: String?
    var exit: Int32
}
