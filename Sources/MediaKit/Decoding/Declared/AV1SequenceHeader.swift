internal import Basics

/// The sequence header of AV1, which limits the size of frames (AV1 specification, 5.5.1).
enum AV1SequenceHeader {
    /// The maximum number of bytes of a header that are read; 32 operating points need less.
    private static let longest = 512

    /// Returns the maximum frame size in each sequence header of a temporal unit; nil for a header that cannot be read.
    static func sizes(in bytes: UnsafeRawBufferPointer) -> [Resolution?] {
        var (sizes, start): ([Resolution?], Int) = ([], 0)
        while start < bytes.count {
            let header = bytes[start]
            start += header & 4 != 0 ? 2 : 1  // an extension has one byte
            var length = bytes.count - start
            if header & 2 != 0 {
                guard let size = length8(bytes, &start) else { return sizes }
                length = size
            }
            let end = min(bytes.count, start + max(0, length))
            guard start <= end else { return sizes }
            if header >> 3 & 15 == 1 { sizes.append(size(Array(bytes[start..<end].prefix(longest)))) }
            start = end
        }
        return sizes
    }

    /// Reads an unsigned integer in LEB128 (4.10.5); nil if it is invalid.
    private static func length8(_ bytes: UnsafeRawBufferPointer, _ start: inout Int) -> Int? {
        var number = 0
        for index in 0..<8 {
            guard start < bytes.count else { return nil }
            let byte = bytes[start]
            start += 1
            number |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return number <= Int(UInt32.max) ? number : nil }
        }
        return nil
    }

    private static func size(_ header: [UInt8]) -> Resolution? {
        var reader = BitReader(header)
        guard reader.skip(4) != nil, let isReduced = reader.flag(),
            (isReduced ? reader.skip(5) : skipOperatingPoints(&reader)) != nil,
            let widthBits = reader.bits(4), let heightBits = reader.bits(4),
            let width = reader.bits(widthBits + 1), let height = reader.bits(heightBits + 1)
        else { return nil }
        return Resolution(width: width + 1, height: height + 1)
    }

    private static func skipOperatingPoints(_ reader: inout BitReader) -> Void? {
        var delayBits: Int?
        guard let hasTiming = reader.flag() else { return nil }
        if hasTiming {
            guard reader.skip(64) != nil, let isEqual = reader.flag(),
                !isEqual || reader.exponential() != nil, let hasModel = reader.flag()
            else { return nil }
            if hasModel {
                guard let length = reader.bits(5), reader.skip(42) != nil else { return nil }
                delayBits = length + 1
            }
        }
        guard let hasDelay = reader.flag(), let count = reader.bits(5) else { return nil }
        for _ in 0...count {
            guard reader.skip(12) != nil, let level = reader.bits(5), level <= 7 || reader.skip(1) != nil
            else { return nil }
            if let delayBits {
                guard let isPresent = reader.flag(), !isPresent || reader.skip(2 * delayBits + 1) != nil
                else { return nil }
            }
            if hasDelay {
                guard let isPresent = reader.flag(), !isPresent || reader.skip(4) != nil else { return nil }
            }
        }
        return ()
    }
}
