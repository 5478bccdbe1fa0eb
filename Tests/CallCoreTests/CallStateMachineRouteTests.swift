import CallCore
import Testing

/// The rules for an attempt that does not find the path that the previous one found at once.
@Suite("Call state machine, path to the peer")
struct CallStateMachineRouteTests {
    private static func times(ice: Int) -> CallSetup {
        var times = CallSetup()
        (times.answer, times.ice, times.dtls) = (10, ice, ice + 10)
        return times
    }

    /// Creates a caller's second attempt, after one that found its path at `ice` milliseconds and ended.
    private static func secondAttempt(ice: Int = 80, end: AttemptEnd = .stalled) throws -> CallDriver {
        var driver = CallDriver.connectedCaller { $0.retries = -1 }
        driver.attemptEnds(end, times(ice: ice))
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attempt(.offering, .awaitingAnswer, .connecting)
        return driver
    }

    private func timeouts(_ driver: CallDriver) -> [Duration] {
        driver.log.compactMap { action in
            if case .start(let timer, let span) = action, timer.kind == .path { span } else { nil }
        }
    }

    @Test("An attempt without a path is replaced five times under its attempt number, at growing intervals")
    func renewed() throws {
        var driver = try Self.secondAttempt()
        for _ in 1...5 {
            #expect(driver.handle(.timer(try #require(driver.timer(.path)))) == [.forward(.stop)])
            driver.attemptEnds()
            driver.attempt(.offering, .awaitingAnswer, .connecting)
        }
        #expect(driver.begun == ["1"] + Array(repeating: "2", count: 6))
        let spans: [Duration] = [2500, 3750, 5000, 6250, 7500].map { .milliseconds($0) }
        #expect(timeouts(driver) == spans)
    }

    @Test("An attempt that has found its path is not replaced")
    func found() throws {
        var driver = try Self.secondAttempt()
        let timer = try #require(driver.timer(.path))
        #expect(driver.room.isArmed(timer))
        driver.handle(.attempt(.media(.iceConnected)))
        #expect(!driver.room.isArmed(timer))
    }

    @Test("The count of replacements restarts once media has flowed")
    func countedAnew() throws {
        var driver = try Self.secondAttempt()
        driver.handle(.timer(try #require(driver.timer(.path))))
        driver.attemptEnds()
        driver.attempt(.offering, .awaitingAnswer, .connecting, .connected)
        driver.attemptEnds(.stalled, Self.times(ice: 80))
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(timeouts(driver) == [2500, 3750, 2500].map { .milliseconds($0) })
    }

    @Test("An attempt has its whole deadline if it is the first, or after a long path or a lost address")
    func patient() throws {
        #expect(timeouts(try Self.secondAttempt(ice: 1200)).isEmpty)
        #expect(timeouts(try Self.secondAttempt(end: .addressLost("192.0.2.1"))).isEmpty)
        var first = CallDriver(.caller, .dial(CallDriver.bob))
        first.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(timeouts(first).isEmpty)
    }

    @Test("A callee does not replace an attempt without a path, as its caller does so")
    func callee() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.attemptEnds(.stalled, Self.times(ice: 80))
        driver.hear(.message(.offer(sdp: CallDriver.sdp("two"))))
        driver.attempt(.answering, .connecting)
        #expect(timeouts(driver).isEmpty)
    }
}
