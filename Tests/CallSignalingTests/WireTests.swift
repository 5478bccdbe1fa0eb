import Basics
import CallCore
import Testing

@testable import CallSignaling

@Suite("Wire format of signaling messages")
struct WireTests {
    private static func event(_ name: String, _ json: String) throws -> RoomEvent? {
        RoomEvent(name: name, arguments: [try JSON(parsing: json.utf8)])
    }

    @Test(
        "The role of a joining peer is parsed in every form that servers send",
        arguments: [
            ("true", Role.caller), ("false", .callee), (#""true""#, .caller), (#""False""#, .callee),
            ("1", .caller), ("0", .callee), (#""1""#, .caller), (#""0""#, .callee), ("1.0", .caller),
            ("null", nil), ("7", nil), ("{}", nil), (#""maybe""#, nil),
        ] as [(String, Role?)]
    )
    func role(_ isCaller: String, _ role: Role?) throws {
        let json = #"{"username":"Bob","roomId":"1","isCaller":\#(isCaller),"unknown":[1]}"#
        let event = try Self.event("room_user_joined", json)
        #expect(event == .peerJoined(Participant(username: "Bob", role: role)))
    }

    @Test("A leave is parsed without a role, and with a missing or numeric name")
    func leaving() throws {
        let left = try Self.event("room_user_left", #"{"username":"Bob"}"#)
        #expect(left == .peerLeft(Participant(username: "Bob", role: nil)))
        #expect(try Self.event("room_user_left", "{}") == .peerLeft(Participant(username: "", role: nil)))
        #expect(
            try Self.event("room_user_left", #"{"username":7}"#)
                == .peerLeft(Participant(username: "7", role: nil))
        )
    }

    @Test("Control characters are removed from a received name, and a long name is truncated")
    func hostileName() throws {
        let json = #"{"username":"a\u001b[2J\u202eb\u0000\#(String(repeating: "x", count: 10_000))"}"#
        guard case .peerJoined(let peer) = try Self.event("room_user_joined", json) else {
            Issue.record("not read")
            return
        }
        #expect(peer.username.hasPrefix("a[2Jbxx"))
        #expect(peer.username.count == 256)
    }

    @Test("The room state lists the participants that can be parsed")
    func roomState() throws {
        let json =
            #"{"peers":[{"username":"Ann","roomId":1,"isCaller":true},7,{"username":"Bob","isCaller":"0"}]}"#
        let peers = [
            Participant(username: "Ann", role: .caller), Participant(username: "Bob", role: .callee),
        ]
        #expect(try Self.event("room_state", json) == .roomState(peers))
        #expect(try Self.event("room_state", #"{"peers":[]}"#) == .roomState([]))
        #expect(
            try Self.event("room_state", #"{"peers":[],"degraded":true}"#) == .roomState([], isPartial: true)
        )
        let many = (0..<300).map { #"{"username":"\#($0)"}"# }.joined(separator: ",")
        guard
            case .roomState(let listed, isPartial: true) = try Self.event(
                "room_state",
                #"{"peers":[\#(many)]}"#
            )
        else {
            Issue.record("not a part of the list")
            return
        }
        #expect(listed.count == 256)
    }

    @Test("ICE servers with one URL or several are parsed")
    func iceServers() throws {
        let json = #"""
            {"iceServers":[{"urls":"stun:s"},{"urls":["turn:a","turn:b"],"username":"u","credential":"c"},{}],"ttl":60}
            """#
        let servers = [
            ICEServer(urls: ["stun:s"]),
            ICEServer(urls: ["turn:a", "turn:b"], username: "u", credential: "c"),
        ]
        #expect(try Self.event("ice_servers", json) == .iceServers(servers))
    }

    @Test("The offer ID of answers, ringing messages, restart requests and hangups is parsed if present")
    func signals() throws {
        #expect(try Self.event("offer", #"{"type":"offer","sdp":"v=0"}"#) == .message(.offer(.init("v=0"))))
        #expect(
            try Self.event("answer", #"{"type":"answer","sdp":"v=0","offer":"u"}"#)
                == .message(.answer(.init("v=0"), offerID: "u"))
        )
        #expect(try Self.event("answer", #"{"sdp":"v=0"}"#) == .message(.answer(.init("v=0"), offerID: nil)))
        #expect(try Self.event("ringing", #"{"offer":"u"}"#) == .message(.ringing(offerID: "u")))
        #expect(try Self.event("ringing", "null") == .message(.ringing(offerID: nil)))
        #expect(
            try Self.event("restart", #"{"offer":"u"}"#) == .message(.restart(offerID: "u"))
        )
        #expect(
            try Self.event("hangup", #"{"offer":"u","reason":"declined"}"#)
                == .message(.hangup(offerID: "u", reason: "declined"))
        )
    }

    @Test(
        "A media state requires boolean fields; recording and holding are optional",
        arguments: [
            (
                #"{"audio":false,"video":true,"recording":true,"holding":true,"offer":"u","ask":true}"#,
                true, true
            ),
            (#"{"audio":false,"video":true,"offer":"u"}"#, false, false),
        ]
    )
    func mediaState(_ payload: String, _ isRecording: Bool, _ asks: Bool) throws {
        var state = MediaState()
        (state.sendsAudio, state.isRecording, state.isHolding) = (false, isRecording, isRecording)
        let message = SignalMessage.mediaState(state, offerID: "u", asks: asks)
        #expect(try Self.event("media_state", payload) == .message(message))
    }

    @Test(
        "An invalid media state is ignored",
        arguments: [
            "null", "{}", "[]", #"{"audio":true}"#, #"{"audio":"true","video":true}"#,
            #"{"audio":1,"video":0}"#,
            #"{"audio":true,"video":true,"recording":"no"}"#, #"{"audio":true,"video":true,"holding":null}"#,
        ]
    )
    func badMediaState(_ payload: String) throws {
        #expect(try Self.event("media_state", payload) == nil)
    }

    private static let line = "candidate:1 1 udp 1 10.0.0.1 9 typ host"

    @Test(
        "A candidate is accepted in every form that peers send",
        arguments: [
            (
                #""sdpMid":"0","sdpMLineIndex":1"#,
                ICECandidate(candidate: line, sdpMid: "0", sdpMLineIndex: 1)
            ),
            (#""sdpMid":"0""#, ICECandidate(candidate: line, sdpMid: "0")),
            (#""sdpMLineIndex":1"#, ICECandidate(candidate: line, sdpMLineIndex: 1)),
            (#""sdpMid":null,"sdpMLineIndex":1"#, ICECandidate(candidate: line, sdpMLineIndex: 1)),
            (#""sdpMid":"a","sdpMLineIndex":null"#, ICECandidate(candidate: line, sdpMid: "a")),
            (#""sdpMLineIndex":"1""#, ICECandidate(candidate: line, sdpMLineIndex: 1)),
            (#""sdpMid":0"#, ICECandidate(candidate: line, sdpMid: "0")),
            (#""sdpMLineIndex":-1"#, ICECandidate(candidate: line)),
            (#""sdpMLineIndex":1e300"#, ICECandidate(candidate: line)),
            (
                #""sdpMid":"0","usernameFragment":"u""#,
                ICECandidate(candidate: line, sdpMid: "0", usernameFragment: "u")
            ),
        ]
    )
    func candidate(_ fields: String, _ candidate: ICECandidate) throws {
        for line in [Self.line, "a=" + Self.line, "a=a=" + Self.line, Self.line + #"\r\n"#] {
            let event = try Self.event("candidate", #"{"candidate":"\#(line)",\#(fields)}"#)
            #expect(event == .message(.candidate(candidate)))
        }
    }

    @Test(
        "An empty or null candidate is parsed as the end of candidates",
        arguments: ["null", #"{"candidate":null}"#, #"{"candidate":""}"#, #"{"candidate":"\r\n"}"#]
    )
    func endOfCandidates(_ json: String) throws {
        #expect(try Self.event("candidate", json) == .message(.candidate(ICECandidate(candidate: ""))))
    }

    @Test(
        "A malformed event is ignored",
        arguments: [
            ("offer", "{}"), ("offer", #"{"sdp":7}"#), ("offer", "null"), ("answer", #""v=0""#),
            ("candidate", #"{"candidate":{}}"#), ("candidate", "{}"), ("candidate", "7"),
            ("candidate", #"{"candidate":"candidate:1\r\na=x"}"#),
            ("candidate", #"{"candidate":"candidate:\u0301"}"#),
            ("room_state", "7"),
            ("room_state", #"{"peers":{}}"#),
            ("room_user_joined", "7"), ("room_user_left", "null"), ("ice_servers", "{}"),
            ("unheard-of", "{}"),
        ]
    )
    func nonsense(_ name: String, _ json: String) throws {
        #expect(try Self.event(name, json) == nil)
    }

    @Test("An event without arguments is ignored", arguments: ["offer", "room_state", "room_user_joined"])
    func noArguments(_ name: String) {
        #expect(RoomEvent(name: name, arguments: []) == nil)
    }

    @Test("An overlong candidate is ignored")
    func longCandidate() throws {
        let json = #"{"candidate":"candidate:\#(String(repeating: "1", count: 5000))"}"#
        #expect(try Self.event("candidate", json) == nil)
    }

    @Test(
        "Messages are encoded as the protocol specifies",
        arguments: [
            (
                SignalMessage.offer(.init("v=0")),
                #"offer {"type":"offer","sdp":"v=0","from":"Ann","wraps":true}"#
            ),
            (
                .answer(.init("v=0"), offerID: "u"),
                #"answer {"type":"answer","sdp":"v=0","offer":"u","from":"Ann","wraps":true}"#
            ),
            (
                .answer(.init("v=0"), offerID: nil),
                #"answer {"type":"answer","sdp":"v=0","from":"Ann","wraps":true}"#
            ),
            (
                .candidate(
                    ICECandidate(candidate: "c", sdpMid: "0", sdpMLineIndex: 0, usernameFragment: "u")
                ),
                #"candidate {"candidate":"c","sdpMid":"0","sdpMLineIndex":0,"usernameFragment":"u"}"#
            ),
            (
                .candidate(ICECandidate(candidate: "c", sdpMLineIndex: 0)),
                #"candidate {"candidate":"c","sdpMid":null,"sdpMLineIndex":0}"#
            ),
            (.ringing(offerID: "u"), #"ringing {"offer":"u","from":"Ann"}"#),
            (.restart(offerID: "u"), #"restart {"offer":"u","from":"Ann"}"#),
            (
                .mediaState(MediaState(), offerID: "u"),
                #"media_state {"audio":true,"video":true,"recording":false,"holding":false,"offer":"u","from":"Ann"}"#
            ),
            (
                .mediaState(MediaState(), offerID: nil, asks: true),
                #"media_state {"audio":true,"video":true,"recording":false,"holding":false,"ask":true,"from":"Ann"}"#
            ),
            (.hangup(offerID: nil, reason: nil), #"hangup {"from":"Ann"}"#),
            (
                .hangup(offerID: "u", reason: "declined"),
                #"hangup {"offer":"u","reason":"declined","from":"Ann"}"#
            ),
        ]
    )
    func outgoing(_ message: SignalMessage, _ text: String) throws {
        let (name, payload) = try #require(message.wire(from: "Ann"))
        #expect("\(name) \(payload.serialized())" == text)
    }

    @Test("The end of candidates is never sent")
    func outgoingEnd() {
        #expect(SignalMessage.candidate(ICECandidate(candidate: "", sdpMid: "0")).wire(from: "Ann") == nil)
    }

    @Test("A message to one participant names the recipient, and a received sender name is parsed")
    func addressed() throws {
        let wire = try #require(SignalMessage.offer(.init("v=0")).wire(from: "Ann", to: "Bob"))
        let text = #"{"type":"offer","sdp":"v=0","from":"Ann","to":"Bob","wraps":true}"#
        #expect(wire.payload.serialized() == text)
        #expect(
            try Self.event("offer", #"{"sdp":"v=0","from":"An\u001bn"}"#)
                == .message(.offer(.init("v=0")), from: "Ann")
        )
        for from in [#""""#, "7", "null"] {
            let event = try Self.event("offer", #"{"sdp":"v=0","from":\#(from)}"#)
            #expect(event == .message(.offer(.init("v=0"))))
        }
    }
}
