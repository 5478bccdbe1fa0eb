package import Basics
internal import GStreamerKit

/// An encoder of the square pictures that users choose for their profiles.
package enum AvatarEncoder {
    /// The maximum width and height in pixels.
    package static let maximumSide = 600
    private static let quality = 88

    /// Converts a picture into an avatar: its central square, at most `maximumSide` wide, as a JPEG without metadata.
    ///
    /// - Parameters:
    ///   - bytes: A JPEG, PNG or WebP.
    ///   - limit: The maximum size of the picture.
    /// - Returns: The JPEG, which is not larger than the picture.
    /// - Throws: `PictureError`.
    @concurrent
    package static func avatar(
        from bytes: [UInt8],
        limit: PictureLimit = .standard
    ) async throws(PictureError) -> [UInt8] {
        let picture = try CheckedPicture(bytes, limit: limit)
        let (width, height) = (picture.header.width, picture.header.height)
        let (short, long) = (min(width, height), max(width, height))
        // Only the square is needed in full, so the frame is scaled down until its shorter side fits.
        let side = short > maximumSide ? (long * maximumSide + short - 1) / short : long
        return try await avatar(from: PictureDecoder.decode(picture, maximumSide: side))
    }

    /// Converts a frame, such as one of a camera, into an avatar.
    ///
    /// - Throws: `PictureError`.
    @concurrent
    package static func avatar(from frame: VideoFrame) async throws(PictureError) -> [UInt8] {
        let square = FrameSquare(frame)
        let side = min(maximumSide, square.size.width, square.size.height)
        // JPEG has BT.601 in the full range (JFIF), but jpegenc takes any I420 as that, and videoconvert 1.22 does
        // not change the range from I420 to I420.
        let elements =
            "\(square.parser) ! videoconvert ! video/x-raw,format=BGRx "
            + "! videoscale method=lanczos add-borders=false "
            + "! video/x-raw,width=\(side),height=\(side),pixel-aspect-ratio=1/1 "
            + "! videoconvert ! video/x-raw,format=I420,colorimetry=1:4:0:0 ! jpegenc quality=\(quality)"
        return try await PicturePipeline.output(
            of: square.bytes,
            "application/octet-stream",
            through: elements
        ) { sample in
            sample.withBytes { Array($0) }
        }
    }
}
