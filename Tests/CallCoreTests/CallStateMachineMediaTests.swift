import Basics
import Testing

@testable import CallCore

@Suite("Media states (muted, camera off, recording) of both sides")
struct CallStateMachineMediaTests {
    private static let muted: MediaState = {
        var state = MediaState()
        state.sendsAudio = false
        return state
    }()

    /// Creates a caller in a call with flowing media, after it has sent its first media state.
    private static func caller(_ change: (inout OwnMedia) -> Void = { _ in }) -> CallDriver {
        var driver = CallDriver(.caller, .dial(CallDriver.bob))
        change(&driver.room.ownMedia)
        driver.attempt(.offering)
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.attempt(.awaitingAnswer, .connecting, .connected)
        return driver
    }

    private static func sent(_ actions: [CallAction]) -> [MediaState] {
        actions.compactMap { if case .send(.mediaState(let state, "mine", _)) = $0 { state } else { nil } }
    }

    private static func reported(_ actions: [CallAction]) -> [PeerMedia] {
        actions.compactMap { if case .report(.peerMedia(let media)) = $0 { media } else { nil } }
    }

    private static func warnings(_ driver: CallDriver) -> Int {
        driver.log.count { if case .report(.peerUnaware) = $0 { true } else { false } }
    }

    @Test("Our first media state is sent when media begins to flow")
    func beginning() {
        var driver = CallDriver(.caller, .dial(CallDriver.bob))
        driver.room.ownMedia = OwnMedia(isMuted: true)
        driver.attempt(.offering)
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.attempt(.awaitingAnswer, .connecting)
        #expect(Self.sent(driver.log).isEmpty)
        driver.attempt(.connected)
        #expect(Self.sent(driver.log) == [Self.muted])
    }

    @Test("Changes of our media state are sent at a limited rate")
    func pace() throws {
        var driver = Self.caller()
        for count in 1...1000 {
            let change = OwnMedia.Change.isMuted(count.isMultiple(of: 2))
            driver.room.ownMedia.apply(change)
            driver.handle(.ownMedia(change))
        }
        #expect(Self.sent(driver.log).count == 1)
        let timer = try #require(driver.timer(.mediaState(.sending)))
        #expect(Self.sent(driver.handle(.timer(timer))) == [Self.muted])
        let last = try #require(driver.timer(.mediaState(.sending)))
        #expect(Self.sent(driver.handle(.timer(last))).isEmpty, "what has not changed is sent again")
    }

    @Test("Our media state excludes media that the source lacks, and says whether we record the peer")
    func ownMedia() {
        var own = OwnMedia(isCameraOff: true)
        own.apply(.sends([.video]))
        own.apply(.recordsPeer(true))
        #expect(!own.state.sendsAudio && !own.state.sendsVideo && own.state.isRecording)
        own.apply(.isCameraOff(false))
        own.apply(.recordsPeer(false))
        #expect(!own.state.sendsAudio && own.state.sendsVideo && !own.state.isRecording)
    }

    @Test("Only the first and the last of a thousand media states that the peer sends at once are reported")
    func flood() throws {
        var driver = Self.caller()
        var state = MediaState()
        for count in 1...1000 {
            state.isRecording = count.isMultiple(of: 2)
            driver.hear(.message(.mediaState(state, offerID: "mine"), from: "Bob"))
        }
        let first = Self.reported(driver.log)
        #expect(first.map(\.state.isRecording) == [false] && first.first?.before == nil)
        #expect(
            driver.log.count {
                if case .start(let timer, _) = $0 { timer.kind == .mediaState(.report) } else { false }
            } == 1
        )
        let timer = try #require(driver.timer(.mediaState(.report)))
        let last = Self.reported(driver.handle(.timer(timer)))
        #expect(last.map(\.state.isRecording) == [true] && last.first?.before == MediaState())
        #expect(last.first?.sentence == "Bob records this call")
    }

    @Test("Media states from other participants or for an older offer are ignored")
    func strangers() {
        var driver = Self.caller()
        driver.hear(.peerJoined(Participant(username: "Carl", role: .callee)))
        driver.hear(.message(.mediaState(Self.muted, offerID: "mine"), from: "Carl"))
        driver.hear(.message(.mediaState(Self.muted, offerID: "older"), from: "Bob"))
        #expect(Self.reported(driver.log).isEmpty)
        driver.hear(.message(.mediaState(Self.muted, offerID: nil), from: "Bob"))
        #expect(Self.reported(driver.log).map(\.state) == [Self.muted])
    }

    @Test("Both sides send their media states again after our socket has reconnected")
    func resumption() throws {
        var driver = Self.caller()
        driver.handle(.timer(try #require(driver.timer(.mediaState(.sending)))))
        driver.log = []
        driver.rejoin()
        #expect(driver.log.contains(.send(.mediaState(MediaState(), offerID: "mine", asks: true))))
        driver.handle(.timer(try #require(driver.timer(.mediaState(.sending)))))
        driver.log = []
        driver.hear(.message(.mediaState(Self.muted, offerID: "mine", asks: true), from: "Bob"))
        #expect(Self.sent(driver.log) == [MediaState()])
    }

    @Test("A user who records a peer that sends no media states is warned once", arguments: [true, false])
    func unaware(isLater: Bool) throws {
        var driver = Self.caller { if !isLater { $0.apply(.recordsPeer(true)) } }
        #expect(Self.warnings(driver) == 0)
        driver.handle(.timer(try #require(driver.timer(.mediaState(.overdue)))))
        if isLater {
            #expect(Self.warnings(driver) == 0)
            driver.room.ownMedia.apply(.recordsPeer(true))
            driver.handle(.ownMedia(.recordsPeer(true)))
        }
        #expect(Self.warnings(driver) == 1)
        driver.handle(.attempt(.media(.statistics(CallStatistics()))))
        #expect(Self.warnings(driver) == 1)
    }

    @Test("A user who records a peer that sends media states is not warned")
    func aware() throws {
        var driver = Self.caller { $0.apply(.recordsPeer(true)) }
        driver.hear(.message(.mediaState(MediaState(), offerID: "mine"), from: "Bob"))
        driver.handle(.timer(try #require(driver.timer(.mediaState(.overdue)))))
        #expect(Self.warnings(driver) == 0)
    }

    @Test("A user who begins to record while disconnected is warned that the peer is not notified")
    func cutOff() throws {
        var driver = Self.caller()
        driver.hear(.message(.mediaState(MediaState(), offerID: "mine"), from: "Bob"))
        driver.hear(.disconnected(reason: "transport close", retryIn: 1))
        #expect(Self.warnings(driver) == 0)
        driver.room.ownMedia.apply(.recordsPeer(true))
        driver.handle(.ownMedia(.recordsPeer(true)))
        #expect(Self.warnings(driver) == 1)
    }

    @Test("If the peer already knows of a recording, a lost connection to the server causes no warning")
    func told() throws {
        var driver = Self.caller { $0.apply(.recordsPeer(true)) }
        driver.hear(.message(.mediaState(MediaState(), offerID: "mine"), from: "Bob"))
        driver.hear(.disconnected(reason: "transport close", retryIn: 1))
        driver.handle(.ownMedia(.recordsPeer(true)))
        #expect(Self.warnings(driver) == 0)
    }

    @Test("The sentence about the peer's media state names only differences from the previous state")
    func sentences() {
        #expect(PeerMedia(peer: "Bob", state: MediaState()).sentence == nil)
        var state = Self.muted
        state.isRecording = true
        #expect(
            PeerMedia(peer: nil, state: state).sentence == "the peer records this call and sends no audio"
        )
        let back = PeerMedia(peer: "Bob", state: Self.muted, before: state)
        #expect(back.sentence == "Bob has stopped recording" && back.changesRecording)
    }
}
