internal import CallCore
internal import NIOCore
internal import SocketIO

/// What a member said last of its call, kept for a peer that has not come yet.
///
/// That is an offer or an answer and the candidates after it, within bounds and for a limited time.
struct HeldSignals {
    static let maximumCandidates = 64
    /// Of the encoded packets together.
    static let maximumBytes = 256 << 10
    static let timeLimit: TimeAmount = .minutes(10)

    private struct Description {
        let isOffer: Bool
        /// The `ice-ufrag` by which answers name an offer; nil where it has none.
        let offerID: String?
        let time: NIODeadline
        var packets: [EnginePacket]
        var byteCount: Int
        var candidateCount = 0
    }

    private var description: Description?

    /// When what is held is to be forgotten; nil where nothing is.
    var deadline: NIODeadline? { description.map { $0.time + Self.timeLimit } }

    /// Takes what the member says itself.
    mutating func add(_ packet: SocketPacket, at now: NIODeadline) {
        switch packet.eventName {
        case "offer": begin(packet, isOffer: true, at: now)
        case "answer": begin(packet, isOffer: false, at: now)
        case "candidate": addCandidate(packet, at: now)
        case "hangup": description = nil
        default: break
        }
    }

    /// Takes what another member of the opposite role says: an offer that it answers or declines is not held.
    ///
    /// An answer that names no offer means the current one.
    mutating func hear(_ packet: SocketPacket) {
        guard let name = packet.eventName, name == "answer" || name == "hangup",
            let description, description.isOffer
        else { return }
        let named = packet.arguments.first?["offer"]?.stringValue
        if named == nil || description.offerID == nil || named == description.offerID { drop() }
    }

    /// Forgets what is held.
    mutating func drop() { description = nil }

    /// What a newcomer is to be given, in the order in which it was said.
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
        self.description = nil  // else the array were shared, and appending copied it
        description.packets += packets
        description.byteCount = byteCount
        description.candidateCount += 1
        self.description = description
    }

    /// Without an ack, for which nobody waits any more when it could come.
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
