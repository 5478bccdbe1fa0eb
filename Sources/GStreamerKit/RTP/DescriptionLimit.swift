/// A limit on the source descriptions (RFC 3550 §6.5) that a session reads.
///
/// GStreamer never releases the names of private items, and stores each canonical name until the call ends.
struct DescriptionLimit: Sendable {
    /// The maximum number of different canonical names; a participant has one.
    static let mostNames = 64

    private var names: Set<[UInt8]> = []

    /// Decides whether a session may read this compound packet.
    mutating func admits(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        guard let described = RTCPPacket.canonicalNames(bytes) else { return false }
        let all = names.union(described)
        guard all.count <= Self.mostNames else { return false }
        names = all
        return true
    }
}
