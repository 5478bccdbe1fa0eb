import CallCore
import Testing

/// The rules for an attempt whose ICE does not connect, after an attempt whose ICE connected quickly.
@Suite("Call state machine, attempts without an ICE connection")
struct CallStateMachineRouteTests {
    private static func times(ice: Int) -> CallSetup {
        var times = CallSetup()
        (times.answer, times.ice, times.dtls) = (10, ice, ice + 10)
        return times
    }

    /// Creates a caller in its second attempt; ICE connected after `ice` milliseconds in the first one.
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

    @Test("An attempt is replaced up to five times at growing intervals, and keeps its attempt number")
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

    @Test("An attempt is not replaced once ICE has connected")
    func found() throws {
        var driver = try Self.secondAttempt()
        let timer = try #require(driver.timer(.path))
        #expect(driver.room.isArmed(timer))
        driver.handle(.attempt(.media(.iceConnected)))
        #expect(!driver.room.isArmed(timer))
    }

    @Test("The count of replacements restarts from zero once media has flowed")
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

    @Test("The first attempt, and an attempt after slow ICE or a lost address, are not replaced")
    func patient() throws {
        #expect(timeouts(try Self.secondAttempt(ice: 1200)).isEmpty)
        #expect(timeouts(try Self.secondAttempt(end: .addressLost("192.0.2.1"))).isEmpty)
        var first = CallDriver(.caller, .dial(CallDriver.bob))
        first.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(timeouts(first).isEmpty)
    }

    @Test("Only the caller replaces an attempt that finds no path")
    func callee() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.attemptEnds(.stalled, Self.times(ice: 80))
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        driver.attempt(.answering, .connecting)
        #expect(timeouts(driver).isEmpty)
    }
}
