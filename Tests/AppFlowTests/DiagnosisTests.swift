import Testing

@testable import AppFlow
@testable import CallCore

@Suite("Error codes and hints for failures")
struct DiagnosisTests {
    private static func facts(_ change: (inout PathFacts) -> Void) -> PathFacts {
        var facts = PathFacts()
        (facts.local.host, facts.remote.host) = (3, 2)
        change(&facts)
        return facts
    }

    private static let hints: [(PathFacts, String)] = [
        (facts { _ in }, "--stun and --turn"),
        (facts { $0.local = .init() }, "ip address"),
        (facts { $0.remote = .init() }, "the peer sent no ICE candidates"),
        (
            facts {
                $0.remote.host = 0
                $0.remote.named = 2
            }, "mDNS"
        ),
        (facts { $0.local.reflexive = 1 }, "no relay on either side"),
        (facts { $0.local.relay = 1 }, "use --turn on both"),
        (
            facts {
                $0.local.relay = 1
                $0.remote.relay = 1
            }, "TURN server"
        ),
        (facts { $0.relayProblem = "the server refuses (401)" }, "because the server refuses (401)"),
        (facts { $0.hasPath = true }, "MTU"),
        (facts { $0.wasConnected = true }, "media flowed"),
    ]

    @Test("The hint depends on the ICE candidates found, not on which stage failed", arguments: hints)
    func hint(path: PathFacts, words: String) throws {
        for end in [
            CallEnd.timedOut(.media), .media(.iceFailed(detail: "")), .media(.dtlsFailed(detail: "")),
        ] {
            let summary = CallSummary(
                end: end,
                message: "no media",
                peer: nil,
                attempt: 1,
                setup: CallSetup(),
                wasHeld: false,
                path: path
            )
            let diagnosis = try #require(Diagnosis(summary))
            #expect(diagnosis.hint.contains(words))
            #expect(diagnosis.message.contains("remote: ") == !path.wasConnected)
        }
    }

    @Test("A refusal by a TURN server has its own error code and hint, and is not retried")
    func relay() {
        let refused = CallMediaFailure.relay(
            message: "no relay: 401",
            hint: "check the secret",
            isRefusal: true
        )
        let diagnosis = Diagnosis(refused)
        #expect(
            (diagnosis.exit, diagnosis.code, diagnosis.hint) == (
                .mediaFailed, "turn-failed", "check the secret"
            )
        )
        #expect(!refused.isWorthRetrying)
        #expect(CallMediaFailure.relay(message: "", hint: "", isRefusal: false).isWorthRetrying)
        #expect(Diagnosis(CallMediaFailure.noAddress("none")).code == "no-address")
    }

    @Test("The hint about HTTP status 403 names flags of the server, not the token")
    func forbidden() {
        let diagnosis = Diagnosis(SignalingFailure.forbidden("HTTP status 403 Forbidden"))
        #expect((diagnosis.exit, diagnosis.code) == (.signalingFailed, "forbidden"))
        #expect(diagnosis.hint.contains("--public-host") && diagnosis.hint.contains("--origin"))
        #expect(!diagnosis.hint.contains("CALLRUNNER_TOKEN"))
        let refused = Diagnosis(SignalingFailure.unauthorized("the token has expired"))
        #expect(refused.code == "not-authorized" && refused.hint.contains("CALLRUNNER_TOKEN"))
    }

    @Test("A wrong certificate of the peer has its own error code, and no retry follows")
    func unverified() {
        let failure = CallMediaFailure.unverifiedPeer(detail: "its certificate is another")
        let diagnosis = Diagnosis(failure)
        #expect((diagnosis.exit, diagnosis.code) == (.mediaFailed, "unverified-peer"))
        #expect(diagnosis.message.contains("its certificate is another"))
        #expect(diagnosis.hint.contains("do not trust"))
        #expect(!failure.isWorthRetrying)
    }

    @Test("The hint about an unanswered call names the ring timeout, not the network")
    func others() throws {
        let summary = CallSummary(
            end: .timedOut(.answer),
            message: "no answer",
            peer: nil,
            attempt: 1,
            setup: CallSetup(),
            wasHeld: false
        )
        #expect(try #require(Diagnosis(summary)).hint.contains("--ring-timeout"))
    }
}
