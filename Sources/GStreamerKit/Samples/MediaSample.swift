internal import CGStreamer

/// A reference to a buffer of a stream, with its caps and with times on the shared timeline.
package final class MediaSample: @unchecked Sendable {  // never mutated after creation
    let buffer: UnsafeMutablePointer<GstBuffer>
    package let caps: Caps
    /// The time in nanoseconds since the shared epoch; nil if the stream specifies none.
    package let presentationTime: UInt64?

    /// Takes ownership of the caller's reference to `buffer`.
    init(taking buffer: UnsafeMutablePointer<GstBuffer>, caps: Caps) {
        self.buffer = buffer
        self.caps = caps
        let time = UInt64(buffer.pointee.pts)
        presentationTime = time == UInt64.max ? nil : time
    }

    deinit { gst_buffer_unref(buffer) }

    package var size: Int { Int(gst_buffer_get_size(buffer)) }

    /// The duration in nanoseconds; nil if unknown.
    package var duration: UInt64? {
        let duration = UInt64(buffer.pointee.duration)
        return duration == UInt64.max ? nil : duration
    }

    /// Whether decoding can begin with this sample.
    package var isKeyframe: Bool {
        UInt32(gst_buffer_get_flags(buffer).rawValue) & UInt32(GST_BUFFER_FLAG_DELTA_UNIT.rawValue) == 0
    }

    /// Creates a sample with the same data and other times, in nanoseconds.
    package func shifted(to presentationTime: UInt64, decodeTime: UInt64?) -> MediaSample {
        let copy = Self.shallowCopy(of: buffer)
        copy.pointee.pts = GstClockTime(presentationTime)
        copy.pointee.dts = decodeTime.map { GstClockTime($0) } ?? GstClockTime.max
        return MediaSample(taking: copy, caps: caps)
    }

    /// Creates a sample with other data and the same times and flags, such as silence in place of audio.
    package func replacing(with bytes: [UInt8]) -> MediaSample {
        guard let other = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else { return self }
        gst_buffer_fill(other, 0, bytes, gsize(bytes.count))
        let kinds = GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_FLAGS.rawValue
        gst_buffer_copy_into(other, buffer, GstBufferCopyFlags(rawValue: kinds), 0, gsize.max)
        return MediaSample(taking: other, caps: caps)
    }

    /// Creates a sample with `bytes` appended to the data and the same times.
    package func appending(_ bytes: [UInt8]) -> MediaSample {
        guard let other = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else { return self }
        gst_buffer_fill(other, 0, bytes, gsize(bytes.count))
        // gst_buffer_append takes ownership of both buffers.
        guard let joined = gst_buffer_append(Self.shallowCopy(of: buffer), other) else { return self }
        return MediaSample(taking: joined, caps: caps)
    }

    /// The decoding time in nanoseconds since the shared epoch; nil if the stream specifies none.
    package var decodeTime: UInt64? {
        let time = UInt64(buffer.pointee.dts)
        return time == UInt64.max ? nil : time
    }

    /// Creates a new buffer around the same memory.
    static func shallowCopy(of buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer> {
        let all =
            GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
            | GST_BUFFER_COPY_META.rawValue | GST_BUFFER_COPY_MEMORY.rawValue
        // Fails only for a range outside the buffer; this range is the whole buffer.
        return gst_buffer_copy_region(buffer, GstBufferCopyFlags(rawValue: all), 0, gsize.max)!
    }

    /// Calls `body` with the bytes, which are valid only inside it; nil if they cannot be mapped.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(buffer, &map) }
        return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }
}
