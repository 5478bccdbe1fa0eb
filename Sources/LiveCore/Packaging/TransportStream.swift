/// A writer of an MPEG transport stream with H.264 and AAC (ISO/IEC 13818-1).
struct TransportStream {
    enum Track: UInt16, CaseIterable {
        case video = 0x100
        case audio = 0x101

        /// The type of the stream: H.264, and AAC with ADTS headers.
        fileprivate var type: UInt8 { self == .video ? 0x1B : 0x0F }

        fileprivate var id: UInt8 { self == .video ? 0xE0 : 0xC0 }
    }

    private enum PID {
        static let tables: UInt16 = 0
        static let map: UInt16 = 0x1000
    }

    private static let packetLength = 188
    private static let headerLength = 4
    private static let maximumAudio = 65_000
    /// The time by which the clock is behind the decoding times, in units of 1/90,000 s, so that frames arrive before
    /// they are decoded.
    private static let clockDelay: Int64 = 27_000

    private var counters: [UInt16: UInt8] = [:]

    /// Writes the tables that list the tracks, with which a segment begins.
    mutating func beginSegment(_ tracks: [Track], into output: inout [UInt8]) {
        let association: [UInt8] = [0, 1] + Self.pid(PID.map)
        write(table: Self.table(0, id: 1, association), PID.tables, into: &output)
        let clock = tracks.contains(.video) ? Track.video : .audio
        var map = Self.pid(clock.rawValue) + [0xF0, 0]
        for track in tracks { map += [track.type] + Self.pid(track.rawValue) + [0xF0, 0] }
        write(table: Self.table(2, id: 1, map), PID.map, into: &output)
    }

    /// Writes a frame of video, or several of audio.
    ///
    /// The times are in units of 1/90,000 s.
    mutating func write(
        _ payload: [UInt8],
        _ track: Track,
        presentation: Int64,
        decoding: Int64,
        hasClock: Bool,
        isKeyframe: Bool,
        into output: inout [UInt8]
    ) {
        let times = presentation == decoding ? [presentation] : [presentation, decoding]
        var packet: [UInt8] = []
        packet.reserveCapacity(payload.count + 19)
        let length = payload.count + 3 + times.count * 5
        // The length of video may be unknown, because it often does not fit.
        let announced = track == .audio && payload.count <= Self.maximumAudio ? length : 0
        packet += [0, 0, 1, track.id, UInt8(announced >> 8), UInt8(announced & 0xFF), 0x84]
        packet += [times.count == 2 ? 0xC0 : 0x80, UInt8(times.count * 5)]
        for (index, time) in times.enumerated() {
            packet += Self.time(time, prefix: times.count == 1 ? 2 : index == 0 ? 3 : 1)
        }
        packet += payload
        write(
            packet,
            track.rawValue,
            clock: hasClock ? decoding - Self.clockDelay : nil,
            isRandomAccess: isKeyframe,
            into: &output
        )
    }

    private mutating func write(
        _ payload: [UInt8],
        _ pid: UInt16,
        clock: Int64?,
        isRandomAccess: Bool,
        into output: inout [UInt8]
    ) {
        var position = 0
        while position < payload.count {
            let isFirst = position == 0
            let remaining = payload.count - position
            let fields = isFirst ? Self.fields(clock, isRandomAccess) : []
            let room = Self.packetLength - Self.headerLength - fields.count
            let stuffing = max(0, room - remaining)
            let count = min(room, remaining)
            let counter = counters[pid] ?? 0
            counters[pid] = (counter + 1) & 0xF
            let control: UInt8 = fields.count + stuffing > 0 ? 0x30 : 0x10
            output += [0x47, (isFirst ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 0xFF), control | counter]
            Self.append(fields, stuffing: stuffing, to: &output)
            output += payload[position..<position + count]
            position += count
        }
    }

    /// The adaptation field with a length that does not count stuffing yet; empty if nothing needs to be stated.
    private static func fields(_ clock: Int64?, _ isRandomAccess: Bool) -> [UInt8] {
        guard clock != nil || isRandomAccess else { return [] }
        let flags: UInt8 = (isRandomAccess ? 0x40 : 0) | (clock == nil ? 0 : 0x10)
        guard let clock else { return [1, flags] }
        return [7, flags] + [25, 17, 9, 1].map { UInt8(truncatingIfNeeded: clock >> $0) }
            + [UInt8(truncatingIfNeeded: clock << 7) & 0x80 | 0x7E, 0]
    }

    private static func append(_ fields: [UInt8], stuffing: Int, to output: inout [UInt8]) {
        guard stuffing > 0 else {
            output += fields
            return
        }
        if let length = fields.first {
            output.append(length + UInt8(stuffing))
            output += fields.dropFirst()
            output += repeatElement(0xFF, count: stuffing)
        } else {
            output.append(UInt8(stuffing - 1))
            // After the length come the flags, and then the stuffing.
            if stuffing > 1 { output.append(0) }
            if stuffing > 2 { output += repeatElement(0xFF, count: stuffing - 2) }
        }
    }

    private mutating func write(table: [UInt8], _ pid: UInt16, into output: inout [UInt8]) {
        // The byte before the table points at its begin.
        let packet = [0] + table
        let padding = Self.packetLength - Self.headerLength - packet.count
        write(
            packet + [UInt8](repeating: 0xFF, count: padding),
            pid,
            clock: nil,
            isRandomAccess: false,
            into: &output
        )
    }

    private static func table(_ type: UInt8, id: UInt8, _ content: [UInt8]) -> [UInt8] {
        // After the length come the ID, the version, two section numbers and the checksum.
        var table = [type, 0xB0, UInt8(content.count + 9), 0, id, 0xC1, 0, 0] + content
        let sum = checksum(table)
        table += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
        return table
    }

    private static func pid(_ pid: UInt16) -> [UInt8] { [0xE0 | UInt8(pid >> 8), UInt8(pid & 0xFF)] }

    /// A time of 33 bits with its prefix and its marker bits.
    private static func time(_ time: Int64, prefix: UInt8) -> [UInt8] {
        [
            prefix << 4 | UInt8(truncatingIfNeeded: time >> 29) & 0x0E | 1,
            UInt8(truncatingIfNeeded: time >> 22),
            UInt8(truncatingIfNeeded: time >> 14) | 1,
            UInt8(truncatingIfNeeded: time >> 7),
            UInt8(truncatingIfNeeded: time << 1) | 1,
        ]
    }

    /// The CRC of a table (ISO/IEC 13818-1 Annex A).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0xFFFF_FFFF) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in
                sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04C1_1DB7
            }
        }
    }
}
