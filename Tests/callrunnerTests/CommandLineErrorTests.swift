import Testing

@testable import callrunner

@Suite("Errors of the command line")
struct CommandLineErrorTests {
    @Test("An unknown flag is reported with the most similar flag and the help of the command")
    func flag() {
        let error = CommandLineError(
            "Unknown option '--ro'. Did you mean '--room'?",
            arguments: ["--ro", "1"]
        )
        #expect(error.message == "unknown option “--ro”")
        #expect(error.hint == "did you mean --room? `callrunner help call` lists its flags")
    }

    @Test(
        "An unknown --server flag is reported with the server flag of the command",
        arguments: [("account", "--api"), ("users", "--chat"), ("chat", "--chat")]
    )
    func server(command: String, flag: String) {
        for text in ["Unknown option '--server'", "Unknown option '--server'. Did you mean '--send'?"] {
            let error = CommandLineError(text, arguments: [command, "--server", "http://127.0.0.1:3001"])
            #expect(error.message == "unknown option “--server”")
            #expect(error.hint.hasPrefix("\(flag) URL names the server of this command"))
        }
    }

    @Test("A flag without a value is reported with the help of the command")
    func value() {
        let error = CommandLineError("Missing value for '--port <N>'", arguments: ["serve", "--port"])
        #expect(error.message == "missing value for “--port <N>”")
        #expect(error.hint == "`callrunner help serve` lists its flags")
    }

    @Test("The error for a negative number after a flag explains how to write it")
    func negativeValue() {
        let error = CommandLineError(
            "Missing value for '--duration <duration>'",
            arguments: ["--room", "1", "--duration", "-5s"]
        )
        #expect(
            error.message == "the value after --duration begins with a dash, so it is read as another flag"
        )
        #expect(
            error.hint
                == "write --duration=VALUE, without a space; `callrunner help call` lists its flags"
        )
    }

    @Test("An unknown command is reported with the nearest one", arguments: [["serv"], ["help", "serv"]])
    func command(_ arguments: [String]) {
        let error = CommandLineError("Unexpected argument 'serv'", arguments: arguments)
        #expect(error.message == "there is no command “serv”")
        #expect(error.hint == "did you mean `serve`? `callrunner help` lists the commands")
    }

    @Test(
        "Flags and existing commands are not reported as unknown commands",
        arguments: [["--room", "1"], ["serve"], ["help"], []]
    )
    func known(_ arguments: [String]) {
        #expect(CommandLineError.unknownCommand(in: arguments) == nil)
    }
}
