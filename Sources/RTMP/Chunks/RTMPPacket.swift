/// A message as the chunk layer transports it, with an uninterpreted payload.
package struct RTMPPacket: Hashable, Sendable {
    /// The message type ID.
    package var type: UInt8
    /// The timestamp in milliseconds, which wraps after 49.7 days.
    package var timestamp: UInt32
    /// The ID of the message stream.
    package var stream: UInt32
    package var payload: [UInt8]

    package init(type: UInt8, timestamp: UInt32 = 0, stream: UInt32 = 0, payload: [UInt8]) {
        (self.type, self.timestamp, self.stream, self.payload) = (type, timestamp, stream, payload)
    }

    /// The answer to a ping, with the time of the ping; nil if the packet is not one.
    var pong: RTMPPacket? {
        get throws(RTMPViolation) {
            guard type == RTMPMessageType.userControl else { return nil }
            var reader = ByteReader(payload)
            guard try reader.uint16() == UserControl.ping else { return nil }
            var answer: [UInt8] = []
            answer.append(UserControl.pong, width: 2)
            return RTMPPacket(type: type, payload: answer + (try reader.slice(4)))
        }
    }

    /// The types of user control messages.
    private enum UserControl {
        static let ping = 6
        static let pong = 7
    }
}
