import GStreamerKit

/// Changes the IDs of H.264 parameter sets, as some encoders do at each keyframe (ITU-T H.264, 7.3).
///
/// It supports only streams without CABAC, whose slices are plain bits.
struct RenumberedH264 {
    /// The new ID of the SPS and the PPS, and of the references to them.
    let number: Int

    func callAsFunction(_ sample: MediaSample) -> MediaSample? {
        sample.withBytes { sample.replacing(with: renumber(Array($0))) }
    }

    private func renumber(_ stream: [UInt8]) -> [UInt8] {
        units(stream).flatMap { [0, 0, 0, 1] + renumber(unit: $0) }
    }

    private func units(_ stream: [UInt8]) -> [[UInt8]] {
        var (units, unit, zeros): ([[UInt8]], [UInt8]?, Int) = ([], nil, 0)
        for byte in stream {
            if byte == 1, zeros >= 2 {
                if let unit { units.append(Array(unit.dropLast(zeros))) }
                (unit, zeros) = ([], 0)
            } else {
                unit?.append(byte)
                zeros = byte == 0 ? zeros + 1 : 0
            }
        }
        return units + [unit ?? []]
    }

    private func renumber(unit: [UInt8]) -> [UInt8] {
        // The number of bytes and of Exp-Golomb codes before the first ID, and the number of IDs to change.
        let (bytes, kept, changed): (Int, Int, Int)
        switch unit[0] & 0x1F {
        case 7: (bytes, kept, changed) = (4, 0, 1)
        case 8: (bytes, kept, changed) = (1, 0, 2)
        case 1, 5: (bytes, kept, changed) = (1, 2, 1)
        default: return unit
        }
        var rest = bits(unit.dropFirst(bytes))[...]
        var result: [Bool] = []
        for _ in 0..<kept { result += take(&rest) }
        for _ in 0..<changed {
            _ = take(&rest)
            result += golomb(number)
        }
        return unit.prefix(bytes) + escaped(bytes: packed(result + rest))
    }

    private func take(_ bits: inout ArraySlice<Bool>) -> ArraySlice<Bool> {
        let length = 2 * bits.prefix { !$0 }.count + 1
        defer { bits = bits.dropFirst(length) }
        return bits.prefix(length)
    }

    private func golomb(_ number: Int) -> [Bool] {
        let digits = String(number + 1, radix: 2).map { $0 == "1" }
        return Array(repeating: false, count: digits.count - 1) + digits
    }

    /// Returns the bits up to the stop bit, without emulation prevention.
    private func bits(_ bytes: ArraySlice<UInt8>) -> [Bool] {
        var (bits, zeros): ([Bool], Int) = ([], 0)
        for byte in bytes {
            let isEmulation = zeros >= 2 && byte == 3
            zeros = byte == 0 ? zeros + 1 : 0
            if !isEmulation { bits += (0..<8).map { byte & 0x80 >> $0 != 0 } }
        }
        return Array(bits[..<(bits.lastIndex(of: true) ?? bits.endIndex)])
    }

    private func packed(_ bits: [Bool]) -> [UInt8] {
        let whole = bits + [true]
        return stride(from: 0, to: whole.count, by: 8).map { start in
            (0..<8).reduce(0) { byte, offset in
                byte << 1 | (start + offset < whole.count && whole[start + offset] ? 1 : 0)
            }
        }
    }

    private func escaped(bytes: [UInt8]) -> [UInt8] {
        var (result, zeros): ([UInt8], Int) = ([], 0)
        for byte in bytes {
            if zeros >= 2, byte <= 3 {
                result.append(3)
                zeros = 0
            }
            result.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return result
    }
}
