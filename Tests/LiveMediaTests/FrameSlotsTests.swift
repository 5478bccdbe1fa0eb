import Basics
import GLibKit
import Testing

@testable import LiveMedia

@Suite("Frames in memory that two processes share", .timeLimit(.minutes(4)))
struct FrameSlotsTests {
    private let slots: FrameSlots
    /// The same memory, as the other process has mapped it.
    private let other: FrameSlots

    init() throws {
        slots = try FrameSlots()
        other = try FrameSlots(taking: slots.memory.duplicate())
    }

    private static func frame(_ size: Resolution, seed: Int = 0) -> VideoFrame? {
        let chroma = ((size.width + 1) / 2) * ((size.height + 1) / 2)
        let bytes = (0..<size.area + 2 * chroma).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed) }
        return VideoFrame(i420: bytes, size)
    }

    @Test(
        "A stored frame is received unchanged",
        arguments: [
            Resolution(width: 16, height: 16), Resolution(width: 1, height: 1),
            Resolution(width: 853, height: 479),
            Resolution(width: 4096, height: 2304),
        ]
    )
    func storing(size: Resolution) throws {
        let frame = try #require(Self.frame(size))
        let stored = try #require(other.store(frame))
        let arrived = try #require(slots.frame(in: stored))
        #expect(arrived.size == size)
        #expect(arrived.i420Bytes == frame.i420Bytes)
    }

    @Test("Padding between the rows of a stored frame is removed, and its shape and colors are preserved")
    func gaps() throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)
        defer { bytes.deallocate() }
        for index in bytes.indices { bytes[index] = UInt8(index) }
        let plane = VideoFrame.Plane(UnsafeRawBufferPointer(bytes), stride: 10)
        let size = Resolution(width: 4, height: 2)
        let frame = VideoFrame(
            .i420,
            size,
            shape: Resolution(width: 8, height: 2),
            colors: .bt709,
            planes: [plane, plane, plane],
            owner: 0
        )
        let spaced = try #require(frame)
        let stored = try #require(other.store(spaced))
        let arrived = try #require(slots.frame(in: stored))
        #expect(arrived.i420Bytes == [0, 1, 2, 3, 10, 11, 12, 13, 0, 1, 0, 1])
        #expect(arrived.shape == Resolution(width: 8, height: 2))
        #expect(arrived.colors == .bt709)
    }

    @Test("A slot is free again after the last reference to its frame is released")
    func slotsAreReused() throws {
        let frame = try #require(Self.frame(Resolution(width: 16, height: 16)))
        var held: [VideoFrame] = []
        while let stored = other.store(frame) {
            held.append(try #require(slots.frame(in: stored)))
            try #require(held.count <= 100)
        }
        #expect(held.count >= 3)
        #expect(other.store(frame) == nil)
        held.removeFirst()
        let again = try #require(other.store(frame))
        #expect(other.store(frame) == nil)
        _ = slots.frame(in: again)
        #expect(other.store(frame) != nil)
    }

    @Test("A frame remains valid after the slots that stored it are deallocated")
    func lifetime() throws {
        let frame = try #require(Self.frame(Resolution(width: 16, height: 16)))
        let arrived: VideoFrame?
        do {
            let slots = try FrameSlots()
            let other = try FrameSlots(taking: slots.memory.duplicate())
            let stored = try #require(other.store(frame))
            arrived = slots.frame(in: stored)
        }
        #expect(arrived?.i420Bytes == frame.i420Bytes)
    }

    @Test("An invalid slot number, or invalid frame data in a slot, yields no frame")
    func refusals() throws {
        for slot in [-1, 6, 255, .max, .min, 0] { #expect(slots.frame(in: slot) == nil) }
        let frame = try #require(Self.frame(Resolution(width: 16, height: 16)))
        let slot = try #require(other.store(frame))
        // Width and height, those of the shape, and the colors.
        let form = 64 * slot + 16
        let memory = slots.memory.bytes
        let good = Array(memory[form..<form + 20])
        let bad: [(place: Int, value: Int32)] =
            [0, 4].flatMap { place in [0, -1, 8193, .max, .min].map { (place, $0) } }
            + [8, 12].flatMap { place in [0, -1, .min].map { (place, $0) } }
            + [3, -1, .max].map { (16, $0) }
        for (place, value) in bad {
            memory.storeBytes(of: value, toByteOffset: form + place, as: Int32.self)
            #expect(slots.frame(in: slot) == nil, "\(place) \(value)")
            UnsafeMutableRawBufferPointer(rebasing: memory[form..<form + 20]).copyBytes(from: good)
        }
        #expect(slots.frame(in: slot)?.i420Bytes == frame.i420Bytes)
    }

    @Test("Shared memory of the wrong size is refused")
    func size() throws {
        let memory = try SharedMemory(size: 4096)
        #expect(throws: GLibError.self) { try FrameSlots(taking: memory.duplicate()) }
    }
}
