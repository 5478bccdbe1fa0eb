internal import Basics

/// The configuration of an H.264 stream whose units follow their lengths (ISO/IEC 14496-15 §5.3.3).
struct H264Configuration: Hashable {
    /// The `AVCDecoderConfigurationRecord`.
    let record: [UInt8]
    /// The number of bytes of each length.
    private let lengthSize: Int
    /// The sequence and picture parameter sets, each after a start code.
    let parameterSets: [UInt8]
    /// The size in which pictures are shown; nil without a sequence parameter set, or if it is not supported.
    let shownSize: Resolution?

    /// The maximum length of the record, and of a parameter set, in bytes, and the maximum number of picture parameter
    /// sets; they are written before each keyframe.
    private static let (longestRecord, longestSet, mostSets) = (8192, 1024, 32)
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Parses an `AVCDecoderConfigurationRecord`; nil if it is invalid, or longer than those of encoders.
    init?(_ record: ArraySlice<UInt8>) {
        let bytes = Array(record)
        guard 7...Self.longestRecord ~= bytes.count, bytes[0] == 1 else { return nil }
        lengthSize = Int(bytes[4] & 3) + 1
        var sets: [UInt8] = []
        var size: Resolution?
        var position = 5
        // Five bits count the sequence parameter sets, and eight bits the picture parameter sets. There are none if they
        // are in the stream, as in films that were recorded by callrunner.
        for mask: UInt8 in [0x1F, 0xFF] {
            guard position < bytes.count else { return nil }
            let count = bytes[position] & mask
            guard count <= Self.mostSets else { return nil }
            position += 1
            for _ in 0..<count {
                guard position + 2 <= bytes.count else { return nil }
                let end = position + 2 + Int(bytes[position]) << 8 + Int(bytes[position + 1])
                guard end <= bytes.count, 1...Self.longestSet ~= end - position - 2 else { return nil }
                let unit = bytes[(position + 2)..<end]
                sets += Self.startCode + unit
                if mask == 0x1F {
                    let payload = H264Unit.payload(of: unit, maximum: Self.longestSet)
                    size = size ?? H264SequenceParameters.shownSize(payload)
                }
                position = end
            }
        }
        (self.record, parameterSets, shownSize) = (bytes, sets, size)
    }

    /// Returns a frame as a byte stream (H.264 Annex B) that begins with an access unit delimiter; empty if it has no
    /// unit, and nil if a length is invalid.
    ///
    /// Parameter sets come before the units of a keyframe.
    func byteStream(_ units: ArraySlice<UInt8>, isKeyframe: Bool) -> [UInt8]? {
        guard let ranges = ranges(in: units) else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(units.count + parameterSets.count + 64)
        output += Self.startCode + [UnitType.delimiter, 0xF0]
        if isKeyframe { output += parameterSets }
        let start = output.count
        for range in ranges {
            guard let first = units[range].first, UnitType.isPassedOn(first & 0x1F) else { continue }
            output += Self.startCode
            output += units[range]
        }
        return output.count > start ? output : []
    }

    /// Returns a frame without units of length zero, which players of files need not accept.
    func withoutEmptyUnits(_ units: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let ranges = ranges(in: units), ranges.contains(where: \.isEmpty) else { return units }
        return ranges.reduce(into: []) { kept, range in
            if !range.isEmpty { kept += units[range.lowerBound - lengthSize..<range.upperBound] }
        }
    }

    /// Returns the places of units that follow their lengths; nil if a length is invalid.
    private func ranges(in units: ArraySlice<UInt8>) -> [Range<Int>]? {
        var (ranges, position): ([Range<Int>], Int) = ([], units.startIndex)
        while position < units.endIndex {
            guard units.endIndex - position >= lengthSize else { return nil }
            let length = units[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            position += lengthSize
            guard length <= units.endIndex - position else { return nil }
            ranges.append(position..<position + length)
            position += length
        }
        return ranges
    }

    private enum UnitType {
        static let delimiter: UInt8 = 9

        /// Whether a unit belongs into a segment: a part of a picture, supplemental information or a parameter set.
        ///
        /// The others are delimiters, ends of sequences and filler, which decoders do not need.
        static func isPassedOn(_ type: UInt8) -> Bool { 1...8 ~= type }
    }
}
