internal import Basics

/// A copy of the central square of a frame.
struct FrameSquare {
    /// The size in pixels; its sides differ if the pixels of the frame are not square.
    let size: Resolution
    /// The bytes of all planes, without gaps between them.
    let bytes: [UInt8]
    /// The element that parses `bytes` into a frame, in gst-launch syntax.
    let parser: String

    init(_ frame: VideoFrame) {
        let shown = min(frame.shape.width, frame.shape.height)
        let size = Resolution(
            width: max(1, frame.size.width * shown / max(1, frame.shape.width)),
            height: max(1, frame.size.height * shown / max(1, frame.shape.height))
        )
        let left = (frame.size.width - size.width) / 2
        let top = (frame.size.height - size.height) / 2
        let parts: [Part] =
            switch frame.format {
            case .bgrx: [Part(left: 4 * left, top: top, width: 4 * size.width, height: size.height)]
            case .i420: Self.parts(left: left & ~1, top: top & ~1, size)
            }
        bytes = frame.withPlanes { planes in
            zip(planes, parts).flatMap { plane, part in
                (part.top..<part.top + part.height).flatMap { row in
                    let start = row * plane.stride + part.left
                    return plane.bytes[start..<start + part.width]
                }
            }
        }
        self.size = size
        parser = Self.parser(of: frame, size, parts)
    }

    /// A rectangle in a plane; its horizontal values are in bytes.
    private struct Part {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
    }

    /// Returns the rectangles in the planes of an I420 frame; `left` and `top` must be even because of chroma
    /// subsampling.
    private static func parts(left: Int, top: Int, _ size: Resolution) -> [Part] {
        let chroma = Part(
            left: left / 2,
            top: top / 2,
            width: (size.width + 1) / 2,
            height: (size.height + 1) / 2
        )
        return [Part(left: left, top: top, width: size.width, height: size.height), chroma, chroma]
    }

    private static func parser(of frame: VideoFrame, _ size: Resolution, _ parts: [Part]) -> String {
        let strides = parts.map { "\($0.width)" }.joined(separator: ",")
        var offset = 0
        let offsets = parts.map { part in
            defer { offset += part.width * part.height }
            return "\(offset)"
        }
        let (format, colors) =
            switch (frame.format, frame.colors) {
            case (.bgrx, _): ("bgrx", "sRGB")
            case (.i420, .bt601): ("i420", "bt601")
            case (.i420, .bt709): ("i420", "bt709")
            case (.i420, .full): ("i420", "1:4:0:0")
            }
        // The colorimetry is last, because the size resets it.
        return "rawvideoparse format=\(format) width=\(size.width) height=\(size.height) "
            + "plane-strides=\"<\(strides)>\" plane-offsets=\"<\(offsets.joined(separator: ","))>\" "
            + "colorimetry=\(colors)"
    }
}
