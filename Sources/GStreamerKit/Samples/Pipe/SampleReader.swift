internal import CGStreamer
package import GLibKit

/// The reading end of a pipe of samples; a hostile stream may have taken control of the writing process.
package struct SampleReader {
    private let pipe: PipeReader
    private let mediaTypes: [String]
    private var formats: [SampleFormat?]
    private var changes = Allowance(maximum: 1000, perSecond: 20)
    /// The rate limit on samples: ten seconds of a file may arrive in a burst, and Opus has up to 400 packets a second.
    private var samples = Allowance(maximum: 10_000, perSecond: 2000)
    /// Whether the pipe has ended without delivering invalid data.
    package private(set) var isAtEnd = false

    /// The maximum size of a sample in bytes; a raw frame of 8192×4320 has 53 MB.
    private static let largest = 64 << 20
    private static let longestFormat: UInt32 = 2048
    /// The maximum time from now to the presentation of a sample, and the maximum duration of one, in nanoseconds.
    private static let horizon: UInt64 = 3_600_000_000_000

    /// Creates a reader of streams with these media types; to be called on the thread of the pipe.
    package init(_ pipe: PipeReader, mediaTypes: [String]) {
        (self.pipe, self.mediaTypes) = (pipe, mediaTypes)
        formats = mediaTypes.map { _ in nil }
    }

    /// Waits for the next sample.
    ///
    /// - Returns: The sample and the number of its stream; nil at the end, and if the data is invalid.
    package mutating func next() -> (stream: Int, sample: MediaSample)? {
        while let head = head(), formats.indices.contains(Int(head.stream)) {
            let (stream, now) = (Int(head.stream), MediaClock.shared.now)
            if head.isFormat == 1 {
                guard changes.take(1, at: now), let format = format(head.size, mediaTypes[stream]) else {
                    return nil
                }
                formats[stream] = format
                continue
            }
            guard let format = formats[stream], samples.take(1, at: now), head.size <= Self.largest,
                format.accepts(size: Int(head.size)),
                let sample = MediaSample(
                    size: Int(head.size),
                    caps: format.caps,
                    flags: head.flags,
                    presentationTime: Self.relative(head.presentationTime, now),
                    decodeTime: Self.relative(head.decodeTime, now),
                    duration: head.duration <= Self.horizon ? head.duration : nil,
                    fill: { pipe.fill($0) }
                )
            else { return nil }
            return (stream, sample)
        }
        return nil
    }

    private mutating func head() -> SampleMessage? {
        var head = SampleMessage(stream: 0, isFormat: 0, flags: 0, size: 0)
        guard withUnsafeMutableBytes(of: &head, pipe.fill) else {
            isAtEnd = true
            return nil
        }
        return head
    }

    private func format(_ size: UInt32, _ mediaType: String) -> SampleFormat? {
        guard size <= Self.longestFormat else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        guard bytes.withUnsafeMutableBytes(pipe.fill), bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return SampleFormat(String(decoding: bytes, as: UTF8.self), mediaType: mediaType)
    }

    /// Converts a time on the computer's clock to one since the epoch of this process; nil if it is too late.
    private static func relative(_ time: UInt64, _ now: UInt64) -> UInt64? {
        let relative = time - min(time, MediaClock.shared.epoch)
        return relative <= now + horizon ? relative : nil
    }
}

extension MediaSample {
    /// The buffer flags that are meaningful to another process.
    var flags: UInt32 { UInt32(gst_buffer_get_flags(buffer).rawValue) & Self.passedFlags }

    private static let passedFlags = [
        GST_BUFFER_FLAG_DISCONT, GST_BUFFER_FLAG_RESYNC, GST_BUFFER_FLAG_CORRUPTED, GST_BUFFER_FLAG_MARKER,
        GST_BUFFER_FLAG_HEADER, GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_DROPPABLE, GST_BUFFER_FLAG_DELTA_UNIT,
    ].reduce(0) { $0 | UInt32($1.rawValue) }

    /// Creates a sample whose bytes `fill` writes; nil if `fill` returns false, or if no memory can be allocated.
    fileprivate convenience init?(
        size: Int,
        caps: Caps,
        flags: UInt32,
        presentationTime: UInt64?,
        decodeTime: UInt64?,
        duration: UInt64?,
        fill: (UnsafeMutableRawBufferPointer) -> Bool
    ) {
        guard let buffer = gst_buffer_new_allocate(nil, gsize(size), nil) else { return nil }
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 else {
            gst_buffer_unref(buffer)
            return nil
        }
        let isFilled = fill(UnsafeMutableRawBufferPointer(start: map.data, count: size))
        gst_buffer_unmap(buffer, &map)
        guard isFilled else {
            gst_buffer_unref(buffer)
            return nil
        }
        buffer.pointee.pts = GstClockTime(presentationTime ?? SampleMessage.none)
        buffer.pointee.dts = GstClockTime(decodeTime ?? SampleMessage.none)
        buffer.pointee.duration = GstClockTime(duration ?? SampleMessage.none)
        gst_buffer_set_flags(buffer, GstBufferFlags(rawValue: flags & Self.passedFlags))
        self.init(taking: buffer, caps: caps)
    }
}
