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
}
