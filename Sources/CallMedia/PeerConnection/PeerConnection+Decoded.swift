internal import Basics
internal import CallCore

extension PeerConnection {
    /// A decoded video frame of the peer, whose planes stay in memory as long as a copy of this value exists.
    public struct VideoFrame: Sendable {
        /// The conversion from YUV to RGB (ITU-T H.273, matrix coefficients and range).
        public enum Colors: Hashable, Sendable {
            /// The matrix of standard definition or of high definition, in the limited range.
            case bt601, bt709
            /// The matrix of standard definition in the full range.
            case full
        }

        /// A plane of 8-bit samples.
        public struct Plane {
            /// The rows, from top to bottom.
            public let bytes: UnsafeRawBufferPointer
            /// The number of bytes from one row to the next.
            public let stride: Int
        }

        private let frame: Basics.VideoFrame

        init(_ frame: Basics.VideoFrame) { self.frame = frame }

        /// The width in pixels.
        public var width: Int { frame.size.width }

        /// The height in pixels.
        public var height: Int { frame.size.height }

        /// The color conversion.
        public var colors: Colors {
            switch frame.colors {
            case .bt601: .bt601
            case .bt709: .bt709
            case .full: .full
            }
        }

        /// Calls `body` with the planes Y, U and V (4:2:0), which are valid only during that call.
        public func withPlanes<Result>(_ body: ([Plane]) -> Result) -> Result {
            frame.withPlanes { planes in body(planes.map { Plane(bytes: $0.bytes, stride: $0.stride) }) }
        }
    }

    /// Decoded audio of the peer.
    public struct AudioBuffer: Hashable, Sendable {
        /// The number of samples of one channel per second.
        public static let sampleRate = 48_000
        /// The number of channels, whose samples are interleaved.
        public static let channels = 2

        /// The samples of the left and the right channel in turn.
        public let samples: [Int16]
    }

    /// A sink that passes the peer's frames on to a stream.
    struct FrameOutput: VideoSink {
        let frames: AsyncStream<VideoFrame>.Continuation

        func show(_ frame: Basics.VideoFrame, from side: MediaSide) {
            if side == .remote { frames.yield(VideoFrame(frame)) }
        }
    }
}
