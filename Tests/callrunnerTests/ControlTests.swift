import AppFlow
import Basics
import CallCore
import Synchronization
import Testing

@testable import callrunner

@Suite("Commands that control a running call", .timeLimit(.minutes(4)))
struct ControlTests {
    @Test("Each control command is parsed")
    func commands() throws {
        let known: [(String, CallsCommand)] = [
            (#"{"command":"mute","on":true}"#, .setMuted(true)),
            (#"{"command":"camera","on":false}"#, .setCameraOff(true)),
            (#"{"command":"record"}"#, .startRecording(path: nil, sides: nil)),
            (
                #"{"command":"record","path":"x.mkv","sides":"remote"}"#,
                .startRecording(path: "x.mkv", sides: [.remote])
            ),
            (
                #"{"command":"record","on":true,"path":null,"sides":"both"}"#,
                .startRecording(path: nil, sides: [.remote, .local])
            ),
            (#"{"command":"record","on":false}"#, .stopRecording),
            (#"{"command":"snapshot","path":"p.png"}"#, .takeSnapshot(path: "p.png")),
            (#"{"command":"hangup"}"#, .hangUp), (#"{"command":"answer"}"#, .accept),
            (#"{"command":"decline"}"#, .decline), (#"{"command":"call"}"#, .startCall),
            (#"{"command":"leave"}"#, .quit), (#"{"command":"status"}"#, .status),
            (#"{"command":"devices"}"#, .listDevices),
            (#"{"command":"select","speaker":"ear"}"#, .select("ear", as: .speaker)),
        ]
        for (line, action) in known {
            #expect(try ControlRequest(Array(line.utf8)).action == action, "\(line)")
        }
        #expect(
            Set(try known.map { try ControlRequest(Array($0.0.utf8)).command })
                == Set(ControlRequest.commands)
        )
    }

    @Test("An invalid command is refused, and the refusal has the command's id if the id is valid")
    func refusals() {
        let wrong: [(line: String, code: String, id: JSON?)] = [
            ("{", "bad-json", nil), ("[]", "bad-json", nil), ("1", "bad-json", nil),
            ("\"mute\"", "bad-json", nil),
            ("\u{0}", "bad-json", nil), (String(repeating: "[", count: 60_000), "bad-json", nil),
            (String(repeating: "{\"a\":", count: 9_000), "bad-json", nil),
            ("{}", "bad-command", nil), (#"{"id":7,"command":1}"#, "bad-command", 7),
            (#"{"id":"a","command":"dance"}"#, "bad-command", "a"),
            (#"{"id":1.5,"command":"MUTE","on":true}"#, "bad-command", 1.5),
            (#"{"id":{},"command":"mute","on":true}"#, "bad-argument", nil),
            (#"{"id":true,"command":"mute","on":true}"#, "bad-argument", nil),
            (#"{"id":1,"command":"mute"}"#, "bad-argument", 1),
            (#"{"id":1,"command":"mute","on":1}"#, "bad-argument", 1),
            (#"{"id":1,"command":"camera","on":"yes"}"#, "bad-argument", 1),
            (#"{"id":1,"command":"record","on":"yes"}"#, "bad-argument", 1),
            (#"{"id":1,"command":"record","path":7}"#, "bad-argument", 1),
            (#"{"id":1,"command":"record","sides":"left"}"#, "bad-argument", 1),
            (#"{"id":1,"command":"hangup","now":true}"#, "bad-argument", 1),
            (#"{"id":1,"command":"select"}"#, "bad-argument", 1),
            (#"{"id":1,"command":"select","camera":"a","speaker":"b"}"#, "bad-argument", 1),
            (#"{"id":1,"command":"record","on":false,"path":"x.mkv"}"#, "bad-argument", 1),
        ]
        for (line, code, id) in wrong {
            do throws(ControlRequest.Problem) {
                _ = try ControlRequest(Array(line.utf8))
                Issue.record("it is taken: \(line.prefix(60))")
            } catch {
                #expect(error.refusal.code == code && error.id == id, "\(line.prefix(60)): \(error)")
                #expect(error.refusal.message.count < 300)
            }
        }
    }

    @Test("A command with random bytes does not trap", arguments: 0..<200)
    func noise(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let template = Array(#"{"id":1,"command":"record","path":"x.mkv","on":true}"#.utf8)
        var line = template
        for _ in 0...Int.random(in: 0...8, using: &generator) {
            line[Int.random(in: line.indices, using: &generator)] = UInt8.random(
                in: 0...255,
                using: &generator
            )
        }
        if let request = try? ControlRequest(line) {
            #expect(ControlRequest.commands.contains(request.command))
        }
    }

    @Test("A reply contains the id of its command, and a refusal also an error code and a message")
    func replies() throws {
        let request = try ControlRequest(Array(#"{"id":"x","command":"snapshot"}"#.utf8))
        #expect(
            JSON.object(ControlReply(to: request, .success(.file("p.png"))).fields).serialized()
                == #"{"id":"x","command":"snapshot","ok":true,"path":"p.png"}"#
        )
        let refusal = ControlRefusal(code: "no-call", message: "there is no call now")
        #expect(
            JSON.object(ControlReply(to: request, .failure(refusal)).fields).serialized()
                == #"{"id":"x","command":"snapshot","ok":false,"error":"no-call","message":"there is no call now"}"#
        )
    }

    @Test("Quick commands overtake slow ones, which run in order from a bounded queue")
    func order() async {
        let (gates, gate) = AsyncStream.makeStream(of: Void.self)
        let replies = Mutex<[String]>([])
        let reported = AsyncStream.makeStream(of: Void.self)
        let desk = ControlDesk { action in
            if !action.isQuick { for await _ in gates { break } }
            return .success(.done)
        } respond: { reply in
            let id = reply.id?.intValue.map(String.init) ?? "-"
            replies.withLock { $0.append((try? reply.result.get()) == nil ? "!\(id)" : id) }
            reported.continuation.yield()
        }
        var lines = (1...30).map { #"{"id":\#($0),"command":"snapshot"}"# }
        lines.append(#"{"id":99,"command":"hangup"}"#)
        let input = Mutex<[UInt8]?>(Array(lines.joined(separator: "\n").utf8))
        async let served: Void = desk.serve {
            input.withLock { bytes in
                defer { bytes = nil }
                return bytes ?? []
            }
        }
        // At least thirteen of thirty are refused: sixteen are queued, and one may be in progress.
        var reportedReplies = reported.stream.makeAsyncIterator()
        while !replies.withLock({ $0.contains("99") }) { await reportedReplies.next() }
        let refused = replies.withLock { $0.count { $0.hasPrefix("!") } }
        #expect((13...14).contains(refused))
        for _ in 0..<30 { gate.yield() }
        await served
        let done = replies.withLock { $0 }.compactMap(Int.init).filter { $0 != 99 }
        #expect(done == done.sorted() && done.count == 30 - refused)
    }

    @Test(
        "A user's folder for videos is read from user-dirs.dirs",
        arguments: [
            (#"XDG_VIDEOS_DIR="$HOME/Films""#, "/home/ann/Films"), (#"XDG_VIDEOS_DIR="$HOME/""#, "/home/ann"),
            (#"XDG_VIDEOS_DIR="/srv/a \"b\" \\c/""#, #"/srv/a "b" \c"#),
            ("# XDG_VIDEOS_DIR=\"/no\"\n  XDG_VIDEOS_DIR=\"/yes\"\nXDG_MUSIC_DIR=\"/m\"", "/yes"),
            (#"XDG_VIDEOS_DIR="Films""#, nil), (#"XDG_VIDEOS_DIR="/open"#, nil),
            (#"XDG_VIDEOS_DIR=/bare"#, nil),
            ("", nil), (#"XDG_VIDEOS_DIR="$HOMELESS/x""#, nil),
        ]
    )
    func folders(_ text: String, _ path: String?) {
        #expect(UserFolders.path("XDG_VIDEOS_DIR", in: text, "/home/ann") == path)
    }

    @Test("XDG_VIDEOS_DIR is used only if it is the absolute path of an existing folder")
    func namedFolders() {
        func videos(_ path: String) -> String {
            UserFolders(environment: ["HOME": "/", "XDG_CONFIG_HOME": "/nowhere", "XDG_VIDEOS_DIR": path])
                .path(.videos)
        }
        #expect(videos("/usr") == "/usr")
        #expect(videos("usr") == "/" && videos("/nowhere") == "/")
    }

    @Test("If no folder for videos exists, the home folder or the current folder is used")
    func missingFolders() {
        let folders = UserFolders(environment: ["HOME": "/", "XDG_CONFIG_HOME": "/nowhere"])
        #expect(folders.path(.videos) == "/")
        #expect(UserFolders(environment: [:]).path(.pictures) == ".")
    }
}
