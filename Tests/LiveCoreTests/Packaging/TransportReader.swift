/// A reader of transport streams that accepts exactly what the packager should write.
struct TransportReader {
    struct Frame: Equatable {
        var pid: UInt16
        var presentation: Int64
        var decoding: Int64
        var clock: Int64?
        var isRandomAccess: Bool
        var payload: [UInt8]
    }

    enum Problem: Error { case sync, continuity, stuffing, header, length }

    private(set) var frames: [Frame] = []
    /// The sections of tables by PID.
    private(set) var tables: [UInt16: [UInt8]] = [:]
    private var counters: [UInt16: UInt8] = [:]
    private var open: [UInt16: (clock: Int64?, isRandomAccess: Bool, bytes: [UInt8])] = [:]

    /// Reads segments in order.
    init(_ segments: [[UInt8]]) throws {
        for segment in segments {
            guard segment.count.isMultiple(of: 188) else { throw Problem.length }
            for start in stride(from: 0, to: segment.count, by: 188) {
                try read(packet: Array(segment[start..<start + 188]))
            }
            for pid in open.keys.sorted() { try finish(pid) }
        }
    }

    func frames(_ pid: UInt16) -> [Frame] { frames.filter { $0.pid == pid } }

    private mutating func read(packet: [UInt8]) throws {
        guard packet[0] == 0x47 else { throw Problem.sync }
        let pid = UInt16(packet[1] & 0x1F) << 8 | UInt16(packet[2])
        let counter = packet[3] & 0xF
        guard counters[pid].map({ ($0 + 1) & 0xF == counter }) ?? (counter == 0) else {
            throw Problem.continuity
        }
        counters[pid] = counter
        var position = 4
        var (clock, isRandomAccess) = (nil as Int64?, false)
        if packet[3] & 0x20 != 0 {
            let length = Int(packet[4])
            position = 5 + length
            var used = 1
            if length > 0 {
                isRandomAccess = packet[5] & 0x40 != 0
                if packet[5] & 0x10 != 0 {
                    clock = packet[6..<10].reduce(0) { $0 << 8 | Int64($1) } << 1 | Int64(packet[10] >> 7)
                    used = 7
                }
                guard packet[(5 + used)..<position].allSatisfy({ $0 == 0xFF }) else { throw Problem.stuffing }
            }
        }
        guard packet[3] & 0x10 != 0, position < 188 else { throw Problem.header }
        let payload = packet[position...]
        if packet[1] & 0x40 == 0 {
            open[pid]?.bytes += payload
        } else if pid == 0 || pid == 0x1000 {
            tables[pid] = Array(payload.dropFirst())
        } else {
            try finish(pid)
            open[pid] = (clock, isRandomAccess, Array(payload))
        }
    }

    private mutating func finish(_ pid: UInt16) throws {
        guard let (clock, isRandomAccess, bytes) = open.removeValue(forKey: pid) else { return }
        guard bytes.starts(with: [0, 0, 1]), bytes[6] == 0x84 else { throw Problem.header }
        let length = Int(bytes[4]) << 8 | Int(bytes[5])
        guard length == 0 || length == bytes.count - 6 else { throw Problem.length }
        let hasDecoding = bytes[7] == 0xC0
        let presentation = Self.time(bytes, at: 9)
        frames.append(
            Frame(
                pid: pid,
                presentation: presentation,
                decoding: hasDecoding ? Self.time(bytes, at: 14) : presentation,
                clock: clock,
                isRandomAccess: isRandomAccess,
                payload: Array(bytes[(9 + Int(bytes[8]))...])
            )
        )
    }

    private static func time(_ bytes: [UInt8], at start: Int) -> Int64 {
        let parts = bytes[start..<start + 5].map { Int64($0) }
        return (parts[0] >> 1 & 7) << 30 | parts[1] << 22 | (parts[2] >> 1) << 15 | parts[3] << 7 | parts[4]
            >> 1
    }
}
