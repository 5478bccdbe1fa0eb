package import Basics
internal import GStreamerKit

/// A decoder of untrusted pictures from the network or a file.
package enum PictureDecoder {
    /// Decodes a JPEG, PNG or WebP into a frame in BGRx with square pixels.
    ///
    /// The size is checked before a decoder is created. A JPEG is rotated according to its EXIF orientation, and
    /// transparent pixels are blended with white.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - side: The maximum width and height of the frame, to which a larger picture is scaled down with its aspect
    ///     ratio; nil for any size.
    ///   - limit: The maximum size of the picture.
    /// - Returns: The picture.
    /// - Throws: `PictureError`.
    @concurrent
    package static func decode(
        _ bytes: [UInt8],
        maximumSide side: Int? = nil,
        limit: PictureLimit = .standard
    ) async throws(PictureError) -> VideoFrame {
        try await decode(CheckedPicture(bytes, limit: limit), maximumSide: side)
    }

    /// Decodes a checked picture.
    static func decode(
        _ picture: CheckedPicture,
        maximumSide side: Int?
    ) async throws(PictureError) -> VideoFrame {
        try await PicturePipeline.output(
            of: picture.bytes,
            picture.header.kind.rawValue,
            through: elements(for: picture.header, side),
            VideoFrame.init
        )
    }

    /// Returns the elements that decode a picture and scale it down; decoding fails if the picture has another size
    /// than its header declares.
    private static func elements(for header: PictureHeader, _ side: Int?) -> String {
        let size = "video/x-raw,width=\(header.width),height=\(header.height)"
        let frame = "videoconvert ! video/x-raw,format=BGRx\(scaler(for: header, side))"
        // Without an alpha channel in its output, the compositor does not blend; without a size, it takes that of the
        // scaler and crops.
        let blended = "compositor background=white ! \(size),format=BGRA ! \(frame)"
        return switch header.kind {
        // The density of a JPEG is ignored, as browsers do.
        case .jpeg:
            "jpegparse ! jpegdec ! \(size) ! capssetter caps=video/x-raw,pixel-aspect-ratio=1/1 "
                + "! \(frame) ! videoflip video-direction=auto"
        case .png: "pngdec ! \(size) ! \(blended)"
        case .webp: "webpdec ! \(size) ! \(blended)"
        }
    }

    /// Returns the elements that scale a picture down, preceded by `!`; empty if it is not too large.
    private static func scaler(for header: PictureHeader, _ side: Int?) -> String {
        let long = max(header.width, header.height)
        guard let side, long > side, side > 0 else { return "" }
        let (width, height) = (header.width * side / long, header.height * side / long)
        return " ! videoscale method=lanczos add-borders=false "
            + "! video/x-raw,width=\(max(1, width)),height=\(max(1, height)),pixel-aspect-ratio=1/1"
    }
}
