internal import CGStreamer

/// A mapped raw picture in a planar format; valid only inside the closure that receives it.
package struct PictureMap: ~Copyable {
    package let width: Int
    package let height: Int
    private let frame: GstVideoFrame

    init(_ frame: GstVideoFrame) {
        self.frame = frame
        width = Int(frame.info.width)
        height = Int(frame.info.height)
    }

    /// The bytes of one plane and the distance between its rows, for 8-bit planar YUV 4:2:0.
    package func plane(_ index: Int) -> (bytes: UnsafeRawBufferPointer, stride: Int) {
        let data = [frame.data.0, frame.data.1, frame.data.2, frame.data.3][index]
        let strides = [
            frame.info.stride.0, frame.info.stride.1, frame.info.stride.2, frame.info.stride.3,
        ]
        let stride = Int(strides[index])
        let rows = index == 0 ? height : (height + 1) / 2
        return (UnsafeRawBufferPointer(start: data, count: stride * rows), stride)
    }
}
