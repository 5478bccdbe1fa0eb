package import Basics
package import GStreamerKit

extension VideoFrame {
    /// Creates a frame from a decoded sample, whose memory it shares; nil if its format is not supported.
    package convenience init?(_ sample: MediaSample) {
        guard let map = MappedFrame(sample) else { return nil }
        self.init(
            map.isPacked ? .bgrx : .i420,
            Resolution(width: map.width, height: map.height),
            shape: Resolution(width: map.shownWidth, height: map.height),
            colors: map.isFullRange ? .full : map.isBT709 ? .bt709 : .bt601,
            planes: map.planes.map { VideoFrame.Plane($0.bytes, stride: $0.stride) },
            owner: map
        )
    }
}
