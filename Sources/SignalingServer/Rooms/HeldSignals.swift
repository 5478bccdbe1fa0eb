internal import CallCore
internal import NIOCore
internal import SocketIO

/// The last signals of a member's call, held for a peer that has not joined yet.
///
/// They are an offer or an answer and the candidates after it, limited in size and time.
struct HeldSignals {
    static let maximumCandidates = 64
    /// The maximum size in bytes of the encoded packets together.
    static let maximumBytes = 256 << 10
    static let timeLimit: TimeAmount = .minutes(10)

    private struct Description {
        let isOffer: Bool
        /// The `ice-ufrag` by which answers name an offer; nil if it has none.
        let offerID: String?
        let time: NIODeadline
        var packets: [EnginePacket]
        var byteCount: Int
        var candidateCount = 0
    }

    private var description: Description?

    /// The time at which the held signals expire; nil if nothing is held.
    var deadline: NIODeadline? { description.map { $0.time + Self.timeLimit } }

    /// Handles an event that the member sends.
    mutating func add(_ packet: SocketPacket, at now: NIODeadline) {
        switch packet.eventName {
        case "offer": begin(packet, isOffer: true, at: now)
        case "answer": begin(packet, isOffer: false, at: now)
        case "candidate": addCandidate(packet, at: now)
        case "hangup": description = nil
        default: break
        }
    }

    /// Handles an event from a member of the opposite role: an offer that it answers or declines is dropped.
    ///
    /// An answer that names no offer refers to the current one.
    mutating func hear(_ packet: SocketPacket) {
        guard let name = packet.eventName, name == "answer" || name == "hangup",
            let description, description.isOffer
        else { return }
        let named = packet.arguments.first?["offer"]?.stringValue
        if named == nil || description.offerID == nil || named == description.offerID { drop() }
    }

    /// Drops the held signals.
    mutating func drop() { description = nil }

    /// Lists the packets for a new member, in the order in which they were sent.
    mutating func packets(at now: NIODeadline) -> [EnginePacket] {
        if let deadline, deadline <= now { drop() }
        return description?.packets ?? []
    }

    private mutating func begin(_ packet: SocketPacket, isOffer: Bool, at now: NIODeadline) {
        description = nil
        let packets = Self.encoded(packet)
        let byteCount = packets.byteCount
        guard byteCount <= Self.maximumBytes else { return }
        let sdp = isOffer ? packet.arguments.first?["sdp"]?.stringValue : nil
        description = Description(
            isOffer: isOffer,
            offerID: sdp.flatMap { try? SessionDescription(parsing: $0).iceUfrag },
            time: now,
            packets: packets,
            byteCount: byteCount
        )
    }

    private mutating func addCandidate(_ packet: SocketPacket, at now: NIODeadline) {
        guard var description, now < description.time + Self.timeLimit,
            description.candidateCount < Self.maximumCandidates
        else { return }
        let packets = Self.encoded(packet)
        let byteCount = description.byteCount + packets.byteCount
        guard byteCount <= Self.maximumBytes else { return }
        self.description = nil  // otherwise the array would be shared, and appending would copy it
        description.packets += packets
        description.byteCount = byteCount
        description.candidateCount += 1
        self.description = description
    }

    /// Encodes a packet without its ack id, as no client would wait for the ack any more.
    private static func encoded(_ packet: SocketPacket) -> [EnginePacket] {
        var packet = packet
        packet.ackID = nil
        return packet.enginePackets
    }
}

extension [EnginePacket] {
    fileprivate var byteCount: Int {
        reduce(0) { count, packet in
            switch packet {
            case .binary(let bytes): count + bytes.count
            default: count + packet.text.utf8.count
            }
        }
    }
}
