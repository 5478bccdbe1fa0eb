internal import ArgumentParser
internal import Basics

/// A command for the user's account, which needs the server.
protocol AccountAction: AsyncParsableCommand {
    var server: AccountFlags { get }
    var output: OutputFlags { get }
    /// Whether events are written to standard output.
    static var writesEvents: Bool { get }

    /// Performs the command.
    ///
    /// - Throws: `Failure`, `AccountFailure` or `StoreFailure`; wrong usage is reported before anything is sent.
    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success
}

extension AccountAction {
    static var writesEvents: Bool { true }

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            try await AccountProgram.run(server, surroundings, writesEvents: Self.writesEvents, perform)
        }
    }
}
