import Basics
import GLibKit
import Testing

@testable import LiveMedia

@Suite("Frames in memory that two processes share", .timeLimit(.minutes(1)))
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
        "A frame arrives as it was stored",
        arguments: [
            Resolution(width: 16, height: 16), Resolution(width: 1, height: 1),
            Resolution(width: 853, height: 479),
            Resolution(width: 4096, height: 2304),
        ]
    )
    func storing(size: Resolution) throws {
        let frame = try #require(Self.frame(size))
        let stored = try #require(other.store(frame))
        let arrived = try #require(slots.frame(stored))
        #expect(arrived.size == size)
        #expect(arrived.i420Bytes == frame.i420Bytes)
    }

    @Test("Gaps between the rows of a frame are left out, and its shape and colors are kept")
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
        let arrived = try #require(slots.frame(stored))
        #expect(arrived.i420Bytes == [0, 1, 2, 3, 10, 11, 12, 13, 0, 1, 0, 1])
        #expect(arrived.shape == Resolution(width: 8, height: 2))
        #expect(arrived.colors == .bt709)
    }

    @Test("A slot is free again when the last reference to its frame is gone")
    func slotsAreReused() throws {
        let frame = try #require(Self.frame(Resolution(width: 16, height: 16)))
        var held: [VideoFrame] = []
        while let stored = other.store(frame) {
            held.append(try #require(slots.frame(stored)))
            try #require(held.count <= 100)
        }
        #expect(held.count >= 3)
        #expect(other.store(frame) == nil)
        held.removeFirst()
        let again = try #require(other.store(frame))
        #expect(other.store(frame) == nil)
        _ = slots.frame(again)
        #expect(other.store(frame) != nil)
    }

    @Test("A frame outlives the stream that has stored it")
    func lifetime() throws {
        let frame = try #require(Self.frame(Resolution(width: 16, height: 16)))
        let arrived: VideoFrame?
        do {
            let slots = try FrameSlots()
            let other = try FrameSlots(taking: slots.memory.duplicate())
            let stored = try #require(other.store(frame))
            arrived = slots.frame(stored)
        }
        #expect(arrived?.i420Bytes == frame.i420Bytes)
    }

    @Test("A frame that cannot be in a slot is refused")
    func refusals() {
        let good = Resolution(width: 16, height: 16)
        for slot in [-1, 6, .max, .min] {
            #expect(slots.frame(StoredFrame(slot: slot, size: good, shape: good, colors: .full)) == nil)
        }
        for side in [0, -1, 8193, .max, .min] {
            for size in [Resolution(width: side, height: 16), Resolution(width: 16, height: side)] {
                #expect(slots.frame(StoredFrame(slot: 0, size: size, shape: good, colors: .full)) == nil)
            }
        }
        let large = Resolution(width: 8192, height: 8192)
        #expect(slots.frame(StoredFrame(slot: 0, size: large, shape: good, colors: .full)) == nil)
        let flat = Resolution(width: 0, height: 16)
        #expect(slots.frame(StoredFrame(slot: 0, size: good, shape: flat, colors: .full)) == nil)
    }

    @Test("Memory of another size is refused")
    func size() throws {
        let memory = try SharedMemory(size: 4096)
        #expect(throws: GLibError.self) { try FrameSlots(taking: memory.duplicate()) }
    }
}
