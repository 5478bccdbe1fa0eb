internal import Basics
internal import CallCore
internal import NIOCore
internal import SocketIO

/// The latest signals of a member's call, stored for a peer that has not joined yet.
///
/// They are an offer or an answer and the ICE candidates that follow it, limited in size and time.
struct HeldSignals: ~Copyable {
    static let maximumCandidates = 64
    /// The maximum total size of the encoded packets in bytes.
    static let maximumBytes = 256 << 10
    static let timeLimit: TimeAmount = .minutes(10)

    /// The memory budget that the signals of all members share; confined to the event loop of the rooms.
    final class Budget {
        private struct Entry { unowned let description: Description }

        /// The maximum total size of the signals in bytes.
        private static let maximum = 32 << 20

        private var entries: [ObjectIdentifier: Entry] = [:]
        private var used = 0

        /// Frees memory by dropping the largest descriptions, while they are more than twice as large as `description`
        /// will be.
        ///
        /// - Returns: Whether enough memory is free.
        fileprivate func makeRoom(for description: Description, byteCount: Int) -> Bool {
            while used + byteCount > Self.maximum {
                guard
                    let largest = entries.values.map(\.description).max(by: { $0.byteCount < $1.byteCount }),
                    largest.byteCount > 2 * (description.byteCount + byteCount)
                else { return false }
                largest.drop()
            }
            return true
        }

        fileprivate func add(_ byteCount: Int, of description: Description) {
            entries[ObjectIdentifier(description)] = Entry(description: description)
            used += byteCount
        }

        fileprivate func remove(_ description: Description) {
            entries[ObjectIdentifier(description)] = nil
            used -= description.byteCount
        }
    }

    /// A description and its candidates; a class, so that members without one need little memory.
    fileprivate final class Description {
        let isOffer: Bool
        /// The `ice-ufrag` of an offer, by which answers refer to it; nil for an answer, or if the offer has
        /// none.
        let offerID: String?
        let time: NIODeadline
        private(set) var packets: [EnginePacket] = []
        private(set) var byteCount = 0
        private var candidateCount = 0
        private let budget: Budget

        init(isOffer: Bool, offerID: String?, time: NIODeadline, _ budget: Budget) {
            (self.isOffer, self.offerID, self.time, self.budget) = (isOffer, offerID, time, budget)
        }

        deinit { budget.remove(self) }

        /// Adds packets, unless they exceed the size limits.
        func add(_ new: [EnginePacket]) {
            let count = new.byteCount
            guard byteCount + count <= HeldSignals.maximumBytes, budget.makeRoom(for: self, byteCount: count)
            else { return }
            packets += new
            byteCount += count
            budget.add(count, of: self)
        }

        /// Adds the packets of a candidate, if the packets of the description are still stored.
        func addCandidate(_ new: [EnginePacket]) {
            guard !packets.isEmpty, candidateCount < HeldSignals.maximumCandidates else { return }
            add(new)
            candidateCount += 1
        }

        /// Drops the packets, to free memory for other members.
        func drop() {
            budget.remove(self)
            (packets, byteCount) = ([], 0)
        }
    }

    private var description: Description?
    private let budget: Budget

    init(_ budget: Budget) { self.budget = budget }

    /// The time at which the stored signals expire; nil if there are none.
    var deadline: NIODeadline? { description.map { $0.time + Self.timeLimit } }

    /// Stores or drops signals according to an event that the member sends.
    mutating func add(_ packet: SocketPacket, at now: NIODeadline) {
        switch packet.eventName {
        case "offer": begin(packet, isOffer: true, at: now)
        case "answer": begin(packet, isOffer: false, at: now)
        case "candidate": addCandidate(packet, at: now)
        case "hangup": description = nil
        default: break
        }
    }

    /// Handles an event from a member of the opposite role; an answer or hangup drops the stored offer to
    /// which it refers.
    ///
    /// An answer or hangup refers to the stored offer if it contains the offer's id or none, or if the offer
    /// has none.
    mutating func hear(_ packet: SocketPacket) {
        guard let name = packet.eventName, name == "answer" || name == "hangup",
            let description, description.isOffer
        else { return }
        let named = packet.arguments.first?["offer"]?.stringValue
        if named == nil || description.offerID == nil || named == description.offerID { drop() }
    }

    /// Drops the stored signals.
    mutating func drop() { description = nil }

    /// Returns the stored packets for a new member, in the order in which they were sent, unless they have
    /// expired.
    mutating func packets(at now: NIODeadline) -> [EnginePacket] {
        if let deadline, deadline <= now { drop() }
        return description?.packets ?? []
    }

    private mutating func begin(_ packet: SocketPacket, isOffer: Bool, at now: NIODeadline) {
        description = nil
        let packets = Self.encoded(packet)
        guard packets.byteCount <= Self.maximumBytes else { return }
        let sdp = isOffer ? packet.arguments.first?["sdp"]?.stringValue : nil
        let new = Description(
            isOffer: isOffer,
            offerID: sdp.flatMap { try? SessionDescription(parsing: $0).iceUfrag },
            time: now,
            budget
        )
        new.add(packets)
        if !new.packets.isEmpty { description = new }
    }

    private func addCandidate(_ packet: SocketPacket, at now: NIODeadline) {
        guard let description, now < description.time + Self.timeLimit else { return }
        description.addCandidate(Self.encoded(packet))
    }

    /// Encodes a packet without its ack id, because its sender no longer waits for an ack when a new member
    /// joins.
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
