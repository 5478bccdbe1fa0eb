import Basics
import CallCore
import Testing

@testable import SignalingServer

@Suite struct NodeMessageTests {
    @Test("A message between servers is encoded and decoded without change")
    func broadcastRoundTrip() throws {
        let room = try RoomID("7")
        let identity = Identity(username: try Username("Bob"), room: room)
        let member = RemoteMember(node: "~1", sid: "new", identity: identity, role: .callee)
        let messages: [NodeMessage] = [
            .moved(sid: "old", to: member, again: true), .ousted(sid: "old", room: room), .gone,
        ]
        for message in messages {
            let read = try NodeMessage.read(Array(message.json(from: "~1").serialized().utf8))
            #expect(read.node == "~1")
            #expect(read.message == message)
        }
    }

    private static let long = String(repeating: "x", count: RemoteMember.maximumID + 1)
    private static let bob = #"{"node":"~1","sid":"b","username":"Bob","isCaller":false}"#

    @Test(
        "A message between servers that is malformed or of an unknown type is refused",
        arguments: [
            ("", AdapterRefusal.malformed), ("[]", .malformed), (#"{"node":"~1"}"#, .malformed),
            (#"{"node":"","type":"gone"}"#, .malformed), (#"{"node":"~1","type":"sing"}"#, .unsupported),
            (#"{"node":"~1","type":"moved","room":1,"sid":"a","to":{}}"#, .malformed),
            (#"{"node":"~1","type":"ousted","room":-1,"sid":"a"}"#, .malformed),
            (#"{"node":"~1","type":"ousted","room":1}"#, .malformed), ("\u{ff}", .malformed),
            (#"{"node":"~1","type":"ousted","room":1,"sid":""}"#, .malformed),
            (#"{"node":"~1","type":"ousted","room":1,"sid":"\#(long)"}"#, .malformed),
            (#"{"node":"~1","type":"moved","room":1,"sid":"\#(long)","to":\#(bob)}"#, .malformed),
            (#"{"node":"\#(long)","type":"gone"}"#, .malformed),
        ]
    )
    func refuses(text: String, refusal: AdapterRefusal) {
        #expect(throws: refusal) { try NodeMessage.read(Array(text.utf8)) }
    }
}
