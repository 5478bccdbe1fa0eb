import Basics

/// A frame of one color, given as limited-range BT.601 values.
struct SolidFrame: Sendable {
    var width = 64
    var height = 48
    var y: UInt8 = 16
    var u: UInt8 = 128
    var v: UInt8 = 128
    /// The number of unused bytes at the end of each row.
    var padding = 0
    var shape: Resolution?
    var colors = VideoFrame.Colors.bt601

    static let red = SolidFrame(y: 81, u: 90, v: 240)
    static let green = SolidFrame(y: 145, u: 54, v: 34)
    static let blue = SolidFrame(y: 41, u: 240, v: 110)

    func sized(_ width: Int, _ height: Int, padding: Int = 0) -> SolidFrame {
        var frame = self
        (frame.width, frame.height, frame.padding) = (width, height, padding)
        return frame
    }

    func show(on sink: any VideoSink, from side: MediaSide = .remote) {
        if let frame { sink.show(frame, from: side) }
    }

    /// The video frame; nil if the size is invalid.
    var frame: VideoFrame? {
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        let memory = FrameMemory([
            plane(of: y, width, height), plane(of: u, chromaWidth, chromaHeight),
            plane(of: v, chromaWidth, chromaHeight),
        ])
        let strides = [width, chromaWidth, chromaWidth].map { $0 + padding }
        return VideoFrame(
            .i420,
            Resolution(width: width, height: height),
            shape: shape,
            colors: colors,
            planes: zip(memory.parts, strides).map { VideoFrame.Plane($0, stride: $1) },
            owner: memory
        )
    }

    /// Creates a plane whose last row has no padding, as some decoders deliver it.
    private func plane(of value: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
        let row = [UInt8](repeating: value, count: width) + [UInt8](repeating: 0xEE, count: padding)
        return Array((0..<height).flatMap { _ in row }.dropLast(padding))
    }
}
