internal import Basics
internal import GLibKit
internal import MediaKit
internal import Synchronization

/// Slots in shared memory through which one process passes frames to another.
///
/// Each slot holds one frame. A slot is taken when a frame is stored in it, and free again when the last reference to
/// the frame is released.
final class FrameSlots: Sendable {
    /// The number of slots; a window holds two frames at most.
    private static let count = 6
    /// The size of a slot in bytes, which is enough for any frame that is decoded.
    private static let slot: Int = {
        let largest = DecodingLimit.standard.size
        let bytes = (largest.width + 16) * (largest.height + 16) * 3 / 2
        return (bytes + page - 1) / page * page
    }()
    private static let page = 4096
    /// The total size in bytes: a page of slot headers, the slots, and a page because scalers read beyond a row.
    private static let size = page + count * slot + page
    /// The size of a slot's header in bytes; each header occupies a cache line of its own.
    private static let headSize = 64
    private static let formOffset = 16

    let memory: SharedMemory

    private enum State {
        static let free: UInt32 = 0
        static let taken: UInt32 = 1
    }

    /// Creates free slots.
    ///
    /// - Throws: `GLibError`.
    init() throws(GLibError) { memory = try SharedMemory(size: Self.size) }

    /// Opens the slots that another process has created.
    ///
    /// - Throws: `GLibError` if the descriptor does not refer to such slots.
    init(taking descriptor: Int32) throws(GLibError) {
        memory = try SharedMemory(taking: descriptor, size: Self.size)
    }

    /// The size of a frame, as laid out in the shared memory.
    private struct Size {
        let width: Int32
        let height: Int32

        init(_ size: Resolution) {
            (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        }

        var resolution: Resolution { Resolution(width: Int(width), height: Int(height)) }
    }

    /// The properties of the frame in a slot.
    private struct Form {
        let size: Size
        let shape: Size
        /// The index in `FrameSlots.colors`.
        let colors: Int32
    }

    private static let colors: [VideoFrame.Colors] = [.bt601, .bt709, .full]

    /// Returns the header of a slot: its state, followed by the `Form` of its frame.
    private func head(of slot: Int) -> UnsafeMutableRawPointer {
        // The slots begin with a page for their heads, which is aligned and never empty.
        memory.bytes.baseAddress! + slot * Self.headSize
    }

    private func withState<Result>(of slot: Int, _ body: (borrowing Atomic<UInt32>) -> Result) -> Result {
        body(head(of: slot).assumingMemoryBound(to: Atomic<UInt32>.self).pointee)
    }

    /// Stores a copy of an I420 frame.
    ///
    /// - Returns: The number of its slot; nil if no slot is free because the other process is slow, or if the frame
    ///   does not fit.
    func store(_ frame: VideoFrame) -> Int? {
        let count = VideoFrame.bytes(ofI420: frame.size)
        guard frame.format == .i420, let count, count <= Self.slot, let slot = take() else { return nil }
        _ = frame.copyI420(to: bytes(of: slot))
        let form = Form(
            size: Size(frame.size),
            shape: Size(frame.shape),
            colors: Int32(Self.colors.firstIndex(of: frame.colors) ?? 0)
        )
        head(of: slot).storeBytes(of: form, toByteOffset: Self.formOffset, as: Form.self)
        return slot
    }

    /// Returns the frame in a slot, without copying its memory; nil if the slot or its header is invalid.
    func frame(in slot: Int) -> VideoFrame? {
        guard (0..<Self.count).contains(slot) else { return nil }
        let owner = Owner(slots: self, slot: slot)
        // A copy, which the other process cannot change after it was checked.
        let form = head(of: slot).load(fromByteOffset: Self.formOffset, as: Form.self)
        guard form.shape.width > 0, form.shape.height > 0, Self.colors.indices.contains(Int(form.colors))
        else { return nil }
        return VideoFrame(
            i420: UnsafeRawBufferPointer(bytes(of: slot)),
            form.size.resolution,
            shape: form.shape.resolution,
            colors: Self.colors[Int(form.colors)],
            owner: owner
        )
    }

    private func take() -> Int? {
        (0..<Self.count).first { slot in
            withState(of: slot) {
                $0.compareExchange(
                    expected: State.free,
                    desired: State.taken,
                    ordering: .acquiring
                ).exchanged
            }
        }
    }

    private func bytes(of slot: Int) -> UnsafeMutableRawBufferPointer {
        let start = Self.page + slot * Self.slot
        return UnsafeMutableRawBufferPointer(rebasing: memory.bytes[start..<start + Self.slot])
    }

    /// The owner of a slot, which frees the slot when it is released.
    private final class Owner: Sendable {
        private let slots: FrameSlots
        private let slot: Int

        init(slots: FrameSlots, slot: Int) { (self.slots, self.slot) = (slots, slot) }

        deinit { slots.withState(of: slot) { $0.store(State.free, ordering: .releasing) } }
    }
}
