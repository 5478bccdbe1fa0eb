import Basics
import Glibc
import Testing

@testable import callrunner

@Suite("Standard streams", .timeLimit(.minutes(4)))
struct StreamTests {
    @Test("Each event is written as one line of JSON")
    func events() async throws {
        let pipe = try WrittenPipe()
        let events = EventWriter(isEnabled: true, stream: pipe.stream)
        await events.write("one", ["x": 1])
        await events.write("two")
        let lines = pipe.end().split(separator: "\n")
        #expect(try lines.map { try JSON(parsing: String($0))["event"] } == ["one", "two"])
        #expect(try JSON(parsing: String(lines[0]))["x"] == 1)
    }

    @Test("No event is written if JSON output is disabled")
    func silentEvents() async throws {
        let pipe = try WrittenPipe()
        await EventWriter(isEnabled: false, stream: pipe.stream).write("one")
        #expect(pipe.end() == "")
    }

    @Test("A closed standard output is reported once, and no further output is written")
    func closedReader() async throws {
        let pipe = try WrittenPipe()
        let events = EventWriter(isEnabled: true, stream: pipe.stream)
        pipe.closeReader()
        await events.write("one")
        await events.write("two")
        var closings = events.closings.makeAsyncIterator()
        let closed = await closings.next()
        #expect(closed?.isReaderGone == true)
        #expect(Interruption(try #require(closed)) == .readerLeft)
        pipe.closeWriter()
    }

    @Test("A long text is written completely to a non-blocking pipe")
    func nonBlocking() async throws {
        let pipe = try WrittenPipe()
        pipe.makeNonBlocking()
        let text = String(repeating: "x", count: 300_000)
        let stream = pipe.stream
        async let read = { () async -> String in pipe.read() }()
        try await stream.write(text)
        pipe.closeWriter()
        #expect(await read.count == text.count)
    }

    @Test("Without a terminal, the console writes plain lines without colors and without a status line")
    func plainConsole() async throws {
        let pipe = try WrittenPipe()
        let console = Console(level: .normal, allowsColor: true, isTerminal: false, stream: pipe.stream)
        await console.during {
            console.show("live")
            console.say("one", .good)
            console.say(Line(sentence: "step"))
            console.say(Line(sentence: "detail", weight: .detail))
            console.fail("no\nroom", hint: "take another")
        }
        #expect(pipe.end() == "one\nstep\ncallrunner: no room\n  hint: take another\n")
    }

    @Test("On a terminal, lines are written above the status line, which is removed at the end")
    func liveLine() async throws {
        let pipe = try WrittenPipe()
        let console = Console(level: .normal, isTerminal: true, stream: pipe.stream)
        await console.during {
            console.show("live")
            console.show("live")
            console.say("one")
            console.say(Line(sentence: "step"))
        }
        #expect(pipe.end() == "\r\u{1B}[Klive\r\u{1B}[Kone\nlive\r\u{1B}[K")
    }

    @Test("A quiet console writes only failures, and a silent console writes nothing")
    func levels() async throws {
        for (level, expected) in [(Console.Level.quiet, "callrunner: bad\n"), (.silent, "")] {
            let pipe = try WrittenPipe()
            let console = Console(level: level, isTerminal: true, stream: pipe.stream)
            await console.during {
                console.show("live")
                console.say("one")
                console.fail("bad", hint: nil)
            }
            #expect(pipe.end() == expected)
        }
    }

    @Test("If closing does not complete within its limit, the process ends with its exit code")
    func closingLimit() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let (console, events) = (Console(level: .silent), EventWriter(isEnabled: false))
            let limit = ClosingLimit(span: .milliseconds(20))
            await limit.during(console, events, exit: { 3 }) {
                limit.begin()
                for await _ in AsyncStream<Void>.makeStream().stream {}
            }
        }
    }

    @Test("A second signal ends the process at once")
    func secondSignal() async {
        await #expect(processExitsWith: .exitCode(130)) {
            let watch = InterruptionWatch(echo: .zero)
            await watch.during(Console(level: .silent), EventWriter(isEnabled: false)) {
                kill(getpid(), SIGINT)
                for await interruption in watch.store.states where interruption != nil {
                    kill(getpid(), SIGINT)
                }
            }
        }
    }

    @Test("A second Ctrl-C 80 ms after the first one ends the process", .timeLimit(.minutes(4)))
    func secondPress() async {
        await #expect(processExitsWith: .exitCode(130)) {
            let watch = InterruptionWatch()
            await watch.during(Console(level: .silent), EventWriter(isEnabled: false)) {
                kill(getpid(), SIGINT)
                for await interruption in watch.store.states where interruption != nil {
                    try? await Task.sleep(for: .milliseconds(80))
                    kill(getpid(), SIGINT)
                }
            }
        }
    }

    @Test("Closed standard descriptors are reopened, so that no other file gets their numbers")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            close(STDOUT_FILENO)
            StandardStream.secureDescriptors()
            let file = open("/dev/null", O_WRONLY)
            guard file > STDERR_FILENO, write(STDOUT_FILENO, "x", 1) < 0 else { exit(1) }
        }
    }
}
