import Basics
import CallCore
import Testing

@testable import CallSignaling

/// The rules for messages that simple servers do not relay as events of their own.
@Suite("Messages wrapped in answers")
struct WrappingTests {
    private static let offer: [JSON] = [["sdp": "v=0", "from": "Ann", "wraps": true]]
    private static let declined = SignalMessage.hangup(offerID: "u", reason: "declined")

    /// Wraps a message in the arguments of an `answer`.
    private static func wrapping(_ message: SignalMessage) throws -> [JSON] {
        [try #require(message.wrapping(from: "Bob"))]
    }

    @Test("Hangup, ringing and restart are wrapped in an answer without `sdp`, and parsed from it")
    func roundTrip() throws {
        for message in [Self.declined, .ringing(offerID: "u"), .restart(offerID: "u")] {
            var wrapping = Wrapping()
            let arguments = try Self.wrapping(message)
            #expect(arguments[0]["sdp"] == nil)
            let event = wrapping.read("answer", arguments)
            #expect(event == .message(message, from: "Bob"))
        }
        #expect(SignalMessage.offer(.init("v=0")).wrapping(from: "Bob") == nil)
    }

    @Test(
        "Offers, answers and room events are not parsed from inside an answer",
        arguments: ["offer", "room_state", "room_user_left", "answer"]
    )
    func nothingElse(_ name: String) {
        var wrapping = Wrapping()
        let payload: JSON = ["event": .string(name), "username": "Bob", "peers": []]
        let event = wrapping.read("answer", [payload])
        #expect(event == nil)
    }

    @Test(
        "Messages are wrapped only while the peer supports it and no participant list has arrived"
    )
    func change() {
        var wrapping = Wrapping()
        var changes = [wrapping.change()]
        _ = wrapping.read("offer", Self.offer)
        changes += [wrapping.change(), wrapping.change()]
        // An offer without `wraps` is from a peer that does not support wrapping.
        _ = wrapping.read("offer", [["sdp": "v=0"]])
        changes.append(wrapping.change())
        _ = wrapping.read("offer", Self.offer)
        wrapping.isRoomStateSent = true
        changes.append(wrapping.change())
        #expect(changes == [nil, true, nil, false, nil])
    }

    @Test("The wrapped copy of a plain message is ignored, but a later repetition of the message is handled")
    func doubles() throws {
        var wrapping = Wrapping()
        let event = RoomEvent.message(Self.declined, from: "Bob")
        let doubles = [false, true, true, false].map { wrapping.isDouble(event, wasWrapped: $0) }
        #expect(doubles == [false, true, false, false])
    }
}
