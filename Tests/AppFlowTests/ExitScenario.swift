import AppFlow
import Basics
import CallCore
import CallTesting
import Testing

/// A run of one side with a given counterpart, and its expected exit status.
struct ExitScenario: Sendable, CustomTestStringConvertible {
    enum Other: Sendable {
        case peer
        /// A participant in the room that never responds.
        case deaf
        case nobody
        case script([RoomEvent])
    }

    var testDescription: String
    var role = Role.caller
    var other = Other.peer
    var preparation = FakeMedia.Script.Step.works
    var script = FakeMedia.Script()
    var change: @Sendable (inout CallPlan) -> Void = { _ in }
    var exit: RunStatus
    var code: String?
}

extension ExitScenario {
    static let all = timeouts + mediaFailures + signalingFailures

    private static let joined = RoomEvent.joined(url: "ws://x", transport: "websocket")
    private static let ann = Participant(username: "Ann", role: .caller)

    static let timeouts: [ExitScenario] = [
        ExitScenario(
            testDescription: "a call of five seconds",
            change: { $0.options.duration = .seconds(5) },
            exit: .success
        ),
        ExitScenario(
            testDescription: "no peer comes",
            other: .nobody,
            change: { $0.options.peerTimeout = .seconds(3) },
            exit: .timedOut,
            code: "no-peer"
        ),
        ExitScenario(
            testDescription: "no offer comes",
            role: .callee,
            other: .deaf,
            change: { $0.options.peerTimeout = .seconds(3) },
            exit: .timedOut,
            code: "no-offer"
        ),
        ExitScenario(
            testDescription: "nobody sees the blind offer",
            other: .script([joined, .roomSilent]),
            change: { $0.options.peerTimeout = .seconds(3) },
            exit: .timedOut,
            code: "no-peer"
        ),
        ExitScenario(testDescription: "no answer", other: .deaf, exit: .timedOut, code: "no-answer"),
        ExitScenario(
            testDescription: "no media",
            script: .with { $0.connects = false },
            change: { $0.options.retries = 1 },
            exit: .timedOut,
            code: "no-media"
        ),
        ExitScenario(
            testDescription: "the answer is never applied",
            script: .with { $0.applies = .hangs },
            change: { $0.options.retries = 0 },
            exit: .timedOut,
            code: "no-description"
        ),
        ExitScenario(
            testDescription: "the peer leaves before media",
            role: .callee,
            other: .script([joined, .peerJoined(ann), offer, .peerLeft(ann)]),
            exit: .timedOut,
            code: "peer-left"
        ),
        ExitScenario(
            testDescription: "the peer hangs up before media",
            role: .callee,
            other: .script([joined, .peerJoined(ann), offer, .message(.hangup(offerID: "annX", reason: nil))]
            ),
            exit: .timedOut,
            code: "hung-up"
        ),
    ]

    private static let digest = Array(repeating: "0A", count: 32).joined(separator: ":")
    private static let offer = RoomEvent.message(
        .offer(
            .init(
                "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\nm=video 9 X 96\r\na=ice-ufrag:annX\r\n"
                    + "a=fingerprint:sha-256 \(digest)\r\n"
            )
        )
    )

    static let mediaFailures: [ExitScenario] = [
        ExitScenario(
            testDescription: "no such file",
            preparation: .fails(.local(.source(message: "no such file", hint: "h"))),
            exit: .mediaFailed,
            code: "source-failed"
        ),
        ExitScenario(
            testDescription: "the recording exists",
            preparation: .fails(.local(.recording(message: "a.mkv exists", hint: "--overwrite"))),
            exit: .recordingFailed,
            code: "recording-failed"
        ),
        ExitScenario(
            testDescription: "the disk fills up",
            script: .with { $0.failure = .local(.recording(message: "m", hint: "h")) },
            exit: .recordingFailed,
            code: "recording-failed"
        ),
        ExitScenario(
            testDescription: "a plugin is missing",
            script: .with { $0.makes = .fails(.local(.missingPlugin(["nicesrc"]))) },
            exit: .mediaFailed,
            code: "plugin-missing"
        ),
        ExitScenario(
            testDescription: "ICE fails",
            script: .with { $0.failure = .iceFailed(detail: "") },
            change: { $0.options.retries = 1 },
            exit: .mediaFailed,
            code: "ice-failed"
        ),
        ExitScenario(
            testDescription: "DTLS fails",
            script: .with { $0.failure = .dtlsFailed(detail: "") },
            change: { $0.options.retries = 1 },
            exit: .mediaFailed,
            code: "dtls-failed"
        ),
        ExitScenario(
            testDescription: "no common codec",
            script: .with { $0.applies = .fails(.noCommonCodec(offered: ["VP8"], accepted: ["H264"])) },
            exit: .mediaFailed,
            code: "no-common-codec"
        ),
        ExitScenario(
            testDescription: "a pipeline breaks",
            script: .with { $0.failure = .local(.pipeline(element: "e", message: "m")) },
            exit: .mediaFailed,
            code: "pipeline-failed"
        ),
        ExitScenario(
            testDescription: "the offer is garbage",
            role: .callee,
            other: .script([joined, .message(.offer(.init("garbage")))]),
            exit: .mediaFailed,
            code: "bad-description"
        ),
        ExitScenario(
            testDescription: "an answer that nobody asked for",
            role: .caller,
            other: .script([
                joined, .peerJoined(Participant(username: "Bob", role: .callee)),
                .message(.answer(.init("?"), offerID: nil)),
            ]),
            change: { $0.options.retries = 0 },
            exit: .timedOut,
            code: "no-answer"
        ),
    ]

    private static func refused(_ failure: SignalingFailure, _ code: String) -> ExitScenario {
        ExitScenario(
            testDescription: code,
            other: .script([.failed(failure)]),
            exit: .signalingFailed,
            code: code
        )
    }

    static let signalingFailures: [ExitScenario] = [
        refused(.unreachable(url: "u", detail: "d"), "server-unreachable"),
        refused(.notSocketIO(url: "u", detail: "d"), "not-socket-io"),
        refused(.roomFull, "room-full"),
        refused(.roleTaken, "role-taken"),
        refused(.unauthorized("d"), "not-authorized"),
        refused(.forbidden("d"), "forbidden"),
        refused(.refused("d"), "refused"),
        refused(.badEvent("d"), "bad-event"),
        refused(.lost(seconds: 60), "signaling-lost"),
        ExitScenario(
            testDescription: "the server is gone for 60 s",
            other: .script([joined, .disconnected(reason: "transport close", retryIn: 1)]),
            exit: .signalingFailed,
            code: "signaling-lost"
        ),
        ExitScenario(
            testDescription: "the server is gone for 60 s while the offer is out",
            other: .script([
                joined, .peerJoined(Participant(username: "Bob", role: .callee)),
                .disconnected(reason: "transport close", retryIn: 1),
            ]),
            change: { $0.options.retries = -1 },
            exit: .signalingFailed,
            code: "signaling-lost"
        ),
    ]
}
