internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// The writing end of a pipe through which a process passes its samples to the process that started it.
package final class SampleWriter: Sendable {
    /// The caps written last for each stream; locked while a message is written, because several threads write.
    private let caps = Mutex<[UInt32: Caps]>([:])
    private let descriptor: Int32
    private let onClose: @Sendable () -> Void

    /// Creates a writer, which calls `onClose` for each write that fails, as when the reading end is closed.
    package init(_ descriptor: Int32, onClose: @escaping @Sendable () -> Void) {
        (self.descriptor, self.onClose) = (descriptor, onClose)
    }

    /// Writes a sample, and waits while the other process does not read; callable on any thread.
    package func write(_ sample: MediaSample, of stream: UInt32) {
        guard let sample = sample.inDefaultLayout else { return }
        caps.withLock { known in
            if !Self.isSame(known[stream], sample.caps) {
                let text = Array(SampleFormat.text(of: sample.caps).utf8)
                var head = SampleMessage(stream: stream, isFormat: 1, flags: 0, size: UInt32(text.count))
                withUnsafeBytes(of: &head, write)
                text.withUnsafeBytes(write)
            }
            known[stream] = sample.caps
            sample.withBytes { bytes in
                var head = SampleMessage(
                    stream: stream,
                    isFormat: 0,
                    flags: sample.flags,
                    size: UInt32(clamping: bytes.count),
                    presentationTime: Self.absolute(sample.presentationTime),
                    decodeTime: Self.absolute(sample.decodeTime),
                    duration: sample.duration ?? SampleMessage.none
                )
                withUnsafeBytes(of: &head, write)
                write(bytes)
            }
        }
    }

    private static func isSame(_ known: Caps?, _ caps: Caps) -> Bool {
        guard let known else { return false }
        return known.pointer == caps.pointer || gst_caps_is_equal(known.pointer, caps.pointer) != 0
    }

    /// Converts a time since the epoch of this process to one on the computer's clock.
    private static func absolute(_ time: UInt64?) -> UInt64 {
        guard let time else { return SampleMessage.none }
        let (sum, isBeyond) = time.addingReportingOverflow(MediaClock.shared.epoch)
        return isBeyond ? SampleMessage.none : sum
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        if !bytes.writeAll(to: descriptor) { onClose() }
    }
}

extension MediaSample {
    /// The sample with the planes and rows of raw video in the layout that the caps imply; nil if it cannot be read.
    ///
    /// Decoders may use another layout, which metadata of the buffer describes.
    fileprivate var inDefaultLayout: MediaSample? {
        guard let layout = gst_buffer_get_video_meta(buffer) else { return self }
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps.pointer) != 0 else { return nil }
        if layout.pointee.stride == info.stride, layout.pointee.offset == info.offset, size == Int(info.size)
        {
            return self
        }
        var from = GstVideoFrame()
        guard gst_video_frame_map(&from, &info, buffer, GST_MAP_READ) != 0 else { return nil }
        defer { gst_video_frame_unmap(&from) }
        guard let copy = gst_buffer_new_allocate(nil, info.size, nil) else { return nil }
        var to = GstVideoFrame()
        guard gst_video_frame_map(&to, &info, copy, GST_MAP_WRITE) != 0 else {
            gst_buffer_unref(copy)
            return nil
        }
        let isCopied = gst_video_frame_copy(&to, &from) != 0
        gst_video_frame_unmap(&to)
        let kinds = GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_FLAGS.rawValue
        gst_buffer_copy_into(copy, buffer, GstBufferCopyFlags(rawValue: kinds), 0, gsize.max)
        let sample = MediaSample(taking: copy, caps: caps)
        return isCopied ? sample : nil
    }
}
