internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// The limits for frames that a video decoder stores because it has not output pictures for them.
enum KeptFrames {
    /// The maximum number of frames, and of their bytes.
    ///
    /// H.264 reorders up to 16 frames, and libav decodes up to 16 at the same time.
    static let (most, mostBytes) = (40, 67_108_864)
    /// The number of frames, and of their bytes, after which the stored frames are checked.
    fileprivate static let (interval, intervalBytes) = (16, 8_388_608)

    /// Returns the number of oldest frames to release so that the rest is within the limits; `sizes` begins with the
    /// oldest frame.
    static func excess(of sizes: [Int]) -> Int {
        var (number, bytes) = (sizes.count, sizes.reduce(0, +))
        for (index, size) in sizes.enumerated() {
            guard number > most || bytes > mostBytes else { return index }
            (number, bytes) = (number - 1, bytes - size)
        }
        return sizes.count
    }
}

extension Element {
    /// Whether the element is a decoder whose base class is GstVideoDecoder.
    var isVideoDecoder: Bool {
        let instance = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self)
        return g_type_check_instance_is_a(instance, gst_video_decoder_get_type()) != 0
    }

    /// Makes this video decoder release frames for which it outputs no picture.
    ///
    /// If its subclass cannot decode a frame, GstVideoDecoder (1.22) stores that frame until the stream ends.
    func forgetUndecodedFrames() {
        guard let input = pad("sink") else { return }
        let decoder = WeakElement(self)
        let passed = Mutex((frames: 0, bytes: 0))
        input.onBuffer { bytes in
            let isDue = passed.withLock { passed in
                passed = (passed.frames + 1, passed.bytes + bytes)
                guard passed.frames >= KeptFrames.interval || passed.bytes >= KeptFrames.intervalBytes else {
                    return false
                }
                passed = (0, 0)
                return true
            }
            if isDue { decoder.element?.releaseKeptFrames() }
        }
    }

    private func releaseKeptFrames() {
        let decoder = object.cast(to: GstVideoDecoder.self)
        guard let list = gst_video_decoder_get_frames(decoder) else { return }
        defer { g_list_free(list) }
        // The list has a reference to each frame.
        let frames = sequence(first: list, next: { $0.pointee.next }).compactMap {
            $0.pointee.data?.assumingMemoryBound(to: GstVideoCodecFrame.self)
        }
        let excess = KeptFrames.excess(
            of: frames.map { frame in frame.pointee.input_buffer.map { Int(gst_buffer_get_size($0)) } ?? 0 }
        )
        for (index, frame) in frames.enumerated() {
            // Releasing takes over the reference.
            if index < excess {
                gst_video_decoder_release_frame(decoder, frame)
            } else {
                gst_video_codec_frame_unref(frame)
            }
        }
    }
}
