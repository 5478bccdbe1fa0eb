internal import Basics

extension StreamPlayer {
    /// A decoded video frame, whose planes stay in memory as long as a copy of this value exists.
    public struct Frame: Sendable {
        /// A plane of 8-bit samples.
        public struct Plane {
            /// The rows, from top to bottom.
            public let bytes: UnsafeRawBufferPointer
            /// The number of bytes from one row to the next.
            public let stride: Int
        }

        private let frame: VideoFrame

        init(_ frame: VideoFrame) { self.frame = frame }

        /// The width in pixels.
        public var width: Int { frame.size.width }

        /// The height in pixels.
        public var height: Int { frame.size.height }

        /// Calls `body` with the planes Y, U and V (4:2:0), which are valid only during that call.
        public func withPlanes<Result>(_ body: ([Plane]) -> Result) -> Result {
            frame.withPlanes { planes in body(planes.map { Plane(bytes: $0.bytes, stride: $0.stride) }) }
        }
    }
}
