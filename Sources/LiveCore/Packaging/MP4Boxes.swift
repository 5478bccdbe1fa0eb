internal import Basics

/// A writer of the boxes of MP4 files (ISO/IEC 14496-12 §4.2).
struct MP4Boxes {
    private(set) var bytes: [UInt8] = []

    /// Adds a box with the contents that `body` adds.
    mutating func box(_ type: StaticString, _ body: (inout MP4Boxes) -> Void) {
        let start = bytes.count
        add(UInt32(0))
        type.withUTF8Buffer { bytes += $0 }
        body(&self)
        set(UInt32(bytes.count - start), at: start)
    }

    /// Adds a box with a version and flags.
    mutating func box(
        _ type: StaticString,
        version: UInt8,
        flags: UInt32 = 0,
        _ body: (inout MP4Boxes) -> Void
    ) {
        box(type) { boxes in
            boxes.add(UInt32(version) << 24 | flags)
            body(&boxes)
        }
    }

    /// Adds a number with its most significant byte first.
    mutating func add(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func add(_ content: some Collection<UInt8>) { bytes += content }

    mutating func addZeros(_ count: Int) { bytes += repeatElement(0, count: count) }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Replaces a number that was added at a position.
    mutating func set(_ number: UInt32, at position: Int) {
        for index in 0..<4 {
            bytes[position + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index))
        }
    }
}
