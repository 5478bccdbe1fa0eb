/// The handshake at the start of a connection (RTMP 1.0 §5.2), without the digest that some Flash players demanded.
package struct Handshake {
    private static let version: UInt8 = 3
    /// The length of each packet after the version.
    private static let length = 1536

    private enum Step {
        /// The first packet of the peer, after its version.
        case first
        /// The peer's copy of the own first packet.
        case copy
        case done
    }

    private let isServer: Bool
    private var step = Step.first
    private var input: [UInt8] = []
    private let own: [UInt8]

    private init(isServer: Bool, own: [UInt8]) { (self.isServer, self.own) = (isServer, own) }

    package static func server() -> Handshake { Handshake(isServer: true, own: firstPacket()) }

    package static func client() -> Handshake { Handshake(isServer: false, own: firstPacket()) }

    /// A first packet: a time and a version of zero, which stands for a handshake without a digest, and random bytes.
    private static func firstPacket() -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + (8..<length).map { _ in UInt8.random(in: 0...255) }
    }

    package var isDone: Bool { step == .done }

    /// The bytes with which a client begins.
    package var opening: [UInt8] { isServer ? [] : [Self.version] + own }

    /// Adds received bytes, and returns the bytes to be sent.
    ///
    /// - Throws: `RTMPViolation.unsupportedVersion`.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) throws(RTMPViolation) -> [UInt8] {
        input += bytes
        var output: [UInt8] = []
        if step == .first, let version = input.first {
            guard version == Self.version else { throw .unsupportedVersion(version) }
            if input.count > Self.length {
                let packet = input[1...Self.length]
                output = (isServer ? [Self.version] + own : []) + packet
                input.removeFirst(1 + Self.length)
                step = .copy
            }
        }
        if step == .copy, input.count >= Self.length {
            // The copy tells only that the peer has received the packet, and some encoders do not return it exactly.
            input.removeFirst(Self.length)
            step = .done
        }
        return output
    }

    /// Removes and returns the bytes that arrived after the end of the handshake.
    package mutating func removeExcess() -> ArraySlice<UInt8> {
        defer { input = [] }
        return input[...]
    }
}
