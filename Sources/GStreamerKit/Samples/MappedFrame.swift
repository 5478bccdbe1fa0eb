internal import CGStreamer

/// A raw video frame, mapped for reading as long as this object exists: I420, or BGRx with 32 bits per pixel.
package final class MappedFrame: @unchecked Sendable {  // never changed, and GStreamer unmaps on any thread
    package let width: Int
    package let height: Int
    /// Whether the format is BGRx.
    package let isPacked: Bool
    /// The width in square pixels, after correction by the pixel aspect ratio; the height is unchanged.
    package let shownWidth: Int
    /// Whether the YUV values follow BT.709; if the caps do not specify it, BT.709 is assumed above 576
    /// lines.
    package let isBT709: Bool
    package let isFullRange: Bool
    private var frame: GstVideoFrame

    /// Maps the sample's memory; nil if its format is neither I420 nor BGRx, or if it cannot be read.
    package init?(_ sample: MediaSample) {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, sample.caps.pointer) != 0,
            let format = info.finfo?.pointee.format,
            format == GST_VIDEO_FORMAT_I420 || format == GST_VIDEO_FORMAT_BGRx
        else { return nil }
        var frame = GstVideoFrame()
        guard gst_video_frame_map(&frame, &info, sample.buffer, GST_MAP_READ) != 0 else { return nil }
        self.frame = frame
        (width, height) = (Int(frame.info.width), Int(frame.info.height))
        isPacked = format == GST_VIDEO_FORMAT_BGRx
        let (numerator, denominator) = (Int(info.par_n), Int(info.par_d))
        shownWidth = numerator > 0 && denominator > 0 ? max(1, width * numerator / denominator) : width
        isFullRange = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
        switch info.colorimetry.matrix {
        case GST_VIDEO_COLOR_MATRIX_BT709: isBT709 = true
        case GST_VIDEO_COLOR_MATRIX_BT601, GST_VIDEO_COLOR_MATRIX_FCC: isBT709 = false
        default: isBT709 = height > 576
        }
    }

    deinit { gst_video_frame_unmap(&frame) }

    /// The planes, each up to the end of its last row, with the distance between rows in bytes.
    ///
    /// The sizes of chroma planes are rounded up. The last row may lack the padding of the others, because a
    /// decoder that crops by an offset leaves no memory behind it.
    package var planes: [(bytes: UnsafeRawBufferPointer, stride: Int)] {
        if isPacked { return [plane(frame.data.0, frame.info.stride.0, 4 * width, height)] }
        let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
        return [
            plane(frame.data.0, frame.info.stride.0, width, height),
            plane(frame.data.1, frame.info.stride.1, columns, rows),
            plane(frame.data.2, frame.info.stride.2, columns, rows),
        ]
    }

    private func plane(
        _ data: UnsafeMutableRawPointer?,
        _ stride: gint,
        _ bytesPerRow: Int,
        _ rows: Int
    ) -> (bytes: UnsafeRawBufferPointer, stride: Int) {
        let stride = Int(stride)
        guard let data, rows > 0, stride >= bytesPerRow else {
            return (UnsafeRawBufferPointer(start: nil, count: 0), 0)
        }
        return (UnsafeRawBufferPointer(start: data, count: stride * (rows - 1) + bytesPerRow), stride)
    }
}
