/// One decoded picture in I420; the planes are valid only inside the call that receives it.
package struct VideoFrame: ~Copyable {
    package let width: Int
    package let height: Int
    package let y: UnsafeRawBufferPointer
    package let u: UnsafeRawBufferPointer
    package let v: UnsafeRawBufferPointer
    /// Bytes from one row to the next.
    package let yStride: Int
    package let uStride: Int
    package let vStride: Int

    package init(
        width: Int,
        height: Int,
        y: UnsafeRawBufferPointer,
        u: UnsafeRawBufferPointer,
        v: UnsafeRawBufferPointer,
        yStride: Int,
        uStride: Int,
        vStride: Int
    ) {
        self.width = width
        self.height = height
        self.y = y
        self.u = u
        self.v = v
        self.yStride = yStride
        self.uStride = uStride
        self.vStride = vStride
    }
}
