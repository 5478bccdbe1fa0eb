internal import CGStreamer
internal import Synchronization

/// A filter for the NAL units of H.264 that no call needs, and on which h264parse (1.22) crashes or takes any memory.
struct H264UnitLimit: Sendable {
    /// The units of scalable and multiview coding (ITU-T H.264, annexes F and G).
    ///
    /// An invalid subset of a sequence parameter set would end the process.
    private static let extensions: Set<UInt8> = [13, 14, 15, 20, 21]
    private static let (messages, parameters): (UInt8, ClosedRange<UInt8>) = (6, 7...8)
    /// The maximum length in bytes of a unit with parameters, and the maximum number of such units with different IDs.
    ///
    /// h264parse keeps and repeats all of them.
    private static let (longestParameters, mostParameters) = (1024, 32)
    /// The maximum length in bytes of a unit with messages, and of all such units in an access unit.
    ///
    /// Each message takes 500 bytes of memory.
    private static let (longestMessages, allMessages) = (4096, 65_536)

    private var known: Set<Int> = []

    /// Returns the parts of an access unit in a byte stream (annex B) that may pass; nil if all may.
    mutating func passing(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        let starts = Self.starts(in: bytes)
        var (kept, messages, isWhole): ([Range<Int>], Int, Bool) = ([], 0, true)
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
            let unit = UnsafeRawBufferPointer(rebasing: bytes[start + 3..<end])
            let isNeeded: Bool
            switch unit.first.map({ $0 & 0x1F }) {
            case nil: isNeeded = false
            case Self.messages?:
                messages += unit.count
                isNeeded = unit.count <= Self.longestMessages && messages <= Self.allMessages
            case let type? where Self.parameters.contains(type): isNeeded = admits(unit, type)
            case let type?: isNeeded = !Self.extensions.contains(type)
            }
            if isNeeded { kept.append(start..<end) } else { isWhole = false }
        }
        return isWhole ? nil : kept
    }

    /// Finds the start codes of three bytes.
    private static func starts(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var (position, starts): (Int, [Int]) = (0, [])
        while position + 2 < bytes.count {
            switch bytes[position + 2] {
            case 0: position += 1
            case 1:
                if bytes[position] == 0, bytes[position + 1] == 0 { starts.append(position) }
                position += 3
            default: position += 3
            }
        }
        return starts
    }

    private mutating func admits(_ unit: UnsafeRawBufferPointer, _ type: UInt8) -> Bool {
        // Before its ID, a sequence parameter set has a profile, constraints and a level.
        let place = type == Self.parameters.lowerBound ? 4 : 1
        guard unit.count <= Self.longestParameters, let id = Self.number(in: unit, at: place) else {
            return false
        }
        let name = Int(type) << 16 | id
        guard known.contains(name) || known.count < Self.mostParameters else { return false }
        known.insert(name)
        return true
    }

    /// Reads an Exp-Golomb code of at most 31 bits (§9.1) at a byte; nil if there is none.
    private static func number(in unit: UnsafeRawBufferPointer, at place: Int) -> Int? {
        var (zeros, bit) = (0, place * 8)
        func next() -> Int? {
            guard bit / 8 < unit.count else { return nil }
            defer { bit += 1 }
            return Int(unit[bit / 8] >> (7 - UInt8(bit % 8)) & 1)
        }
        while let value = next() {
            guard value == 0 else {
                var number = 1
                for _ in 0..<zeros {
                    guard let value = next() else { return nil }
                    number = number << 1 | value
                }
                return number - 1
            }
            zeros += 1
            guard zeros < 16 else { return nil }
        }
        return nil
    }
}

extension Pad {
    /// Removes the NAL units from access units of H.264 that `H264UnitLimit` does not let pass.
    ///
    /// This pad must be the source pad of an `rtph264depay` that outputs whole access units as a byte stream.
    package func limitUnits() {
        let limit = Mutex(H264UnitLimit())
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            let parts = buffer.withBytes { bytes in limit.withLock { $0.passing(bytes) } } ?? []
            guard let parts else { return GST_PAD_PROBE_OK }
            guard !parts.isEmpty, let rest = buffer.copy(of: parts) else { return GST_PAD_PROBE_DROP }
            // The probe owns the buffer that it replaces.
            gst_buffer_unref(buffer)
            info.pointee.data = UnsafeMutableRawPointer(rest)
            return GST_PAD_PROBE_OK
        }
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Creates a buffer with parts of the data, and the same times and flags.
    fileprivate func copy(of parts: [Range<Int>]) -> UnsafeMutablePointer<GstBuffer>? {
        guard let copy = gst_buffer_new_allocate(nil, gsize(parts.reduce(0) { $0 + $1.count }), nil) else {
            return nil
        }
        _ = withBytes { bytes in
            var place = 0
            for part in parts {
                gst_buffer_fill(
                    copy,
                    gsize(place),
                    bytes.baseAddress?.advanced(by: part.lowerBound),
                    gsize(part.count)
                )
                place += part.count
            }
        }
        let kinds = GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_FLAGS.rawValue
        gst_buffer_copy_into(copy, self, GstBufferCopyFlags(rawValue: kinds), 0, gsize.max)
        return copy
    }
}
