internal import CSDL

/// The edges of a rectangle in pixels, or of a part of a texture, 0…1.
struct Edges: Hashable, Sendable {
    var left: Float
    var top: Float
    var right: Float
    var bottom: Float

    static let whole = Edges(left: 0, top: 0, right: 1, bottom: 1)

    init(left: Float, top: Float, right: Float, bottom: Float) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    init(_ rect: Rect) {
        self.init(
            left: Float(rect.x),
            top: Float(rect.y),
            right: Float(rect.x + rect.width),
            bottom: Float(rect.y + rect.height)
        )
    }

    var shortSide: Float { max(0, min(right - left, bottom - top)) }

    func grown(by margin: Float) -> Edges {
        Edges(left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin)
    }

    func intersection(_ other: Edges) -> Edges {
        Edges(
            left: max(left, other.left),
            top: max(top, other.top),
            right: min(right, other.right),
            bottom: min(bottom, other.bottom)
        )
    }
}

/// The triangles of one frame, in the order in which they are drawn.
@WindowActor final class DrawList {
    private struct Vertex {
        let x: Float
        let y: Float
        /// Red in the lowest byte, opacity in the highest.
        let color: UInt32
        /// The position in the texture, 0…1.
        let u: Float
        let v: Float
    }

    /// A video and its rectangle.
    private struct Video {
        let texture: VideoTexture
        let rect: Rect
        let radius: Int
    }

    /// Triangles with the same texture and clip rectangle, or a video.
    private struct Command {
        let clip: Edges
        let texture: OpaquePointer?
        let vertices: Int
        let indices: Int
        var vertexCount = 0
        var indexCount = 0
        var video: Video?
    }

    /// The maximum number of vertices of a command, whose indices have 16 bits.
    private static let maximumVertices = 65_536

    private var vertices: [Vertex] = []
    private var indices: [UInt16] = []
    private var commands: [Command] = []
    private var clips: [Edges] = []
    /// A digest of the frame; frames with the same digest look the same.
    private(set) var digest: UInt64 = 0

    /// Begins an empty frame.
    func begin(width: Float, height: Float) {
        vertices.removeAll(keepingCapacity: true)
        indices.removeAll(keepingCapacity: true)
        commands.removeAll(keepingCapacity: true)
        clips = [Edges(left: 0, top: 0, right: width, bottom: height)]
        digest = 0xCBF2_9CE4_8422_2325
        mix(UInt64(width.bitPattern) << 32 | UInt64(height.bitPattern))
    }

    func fill(_ rect: Edges, _ color: UInt32) { add(rect, .whole, nil, 0, color) }

    /// Draws the part `uv` of a texture; `identity` represents the texture's content in the digest.
    func image(_ texture: OpaquePointer, _ rect: Edges, _ uv: Edges, identity: UInt64 = 0, _ color: UInt32) {
        add(rect, uv, texture, identity, color)
    }

    /// Draws the frame that the video has when this list is rendered; `identity` represents that frame in the digest.
    func video(_ texture: VideoTexture, in rect: Rect, radius: Int, identity: UInt64 = 0) {
        guard let clip = clips.last, clip.right > clip.left, clip.bottom > clip.top else { return }
        mix(clip)
        mix(identity)
        var command = Command(clip: clip, texture: nil, vertices: vertices.count, indices: indices.count)
        command.video = Video(texture: texture, rect: rect, radius: radius)
        commands.append(command)
        for number in [rect.x, rect.y, rect.width, rect.height, radius] {
            mix(UInt64(truncatingIfNeeded: number))
        }
    }

    /// Clips everything drawn from now on to a rectangle and to the clip rectangles that are already set.
    func pushClip(_ rect: Edges) { clips.append(clips.last.map { $0.intersection(rect) } ?? rect) }

    /// The rectangle to which everything drawn now is clipped; nil outside of a frame.
    var clip: Edges? { clips.last }

    func popClip() { clips.removeLast() }

    /// Checks whether any part of the rectangle is inside the clip rectangles.
    func shows(_ rect: Edges) -> Bool {
        guard let part = clips.last?.intersection(rect) else { return false }
        return part.right > part.left && part.bottom > part.top
    }

    private func add(
        _ rect: Edges,
        _ uv: Edges,
        _ texture: OpaquePointer?,
        _ identity: UInt64,
        _ color: UInt32
    ) {
        guard color >> 24 > 0, rect.right > rect.left, rect.bottom > rect.top, let clip = clips.last,
            clip.right > clip.left, clip.bottom > clip.top
        else { return }
        let start = vertices.count - begin(texture, identity, clip)
        vertices.append(Vertex(x: rect.left, y: rect.top, color: color, u: uv.left, v: uv.top))
        vertices.append(Vertex(x: rect.right, y: rect.top, color: color, u: uv.right, v: uv.top))
        vertices.append(Vertex(x: rect.right, y: rect.bottom, color: color, u: uv.right, v: uv.bottom))
        vertices.append(Vertex(x: rect.left, y: rect.bottom, color: color, u: uv.left, v: uv.bottom))
        for corner in [0, 1, 2, 0, 2, 3] { indices.append(UInt16(start + corner)) }
        commands[commands.count - 1].vertexCount += 4
        commands[commands.count - 1].indexCount += 6
        mix(rect)
        mix(uv)
        mix(UInt64(color))
    }

    /// Continues the last command or begins a new one, and returns the number of vertices before it.
    private func begin(_ texture: OpaquePointer?, _ identity: UInt64, _ clip: Edges) -> Int {
        if let last = commands.last, last.texture == texture, last.clip == clip, last.video == nil,
            last.vertexCount + 4 <= Self.maximumVertices
        {
            mix(identity)
            return last.vertices
        }
        commands.append(
            Command(clip: clip, texture: texture, vertices: vertices.count, indices: indices.count)
        )
        mix(clip)
        mix(UInt64(UInt(bitPattern: texture)))
        mix(identity)
        return vertices.count
    }

    private func mix(_ edges: Edges) {
        mix(UInt64(edges.left.bitPattern) << 32 | UInt64(edges.top.bitPattern))
        mix(UInt64(edges.right.bitPattern) << 32 | UInt64(edges.bottom.bitPattern))
    }

    private func mix(_ word: UInt64) {
        digest = (digest ^ word) &* 0x9E37_79B9_7F4A_7C15
        digest ^= digest >> 29
    }

    /// Renders the frame on top of everything drawn so far.
    func render(on canvas: Canvas) {
        vertices.withUnsafeBytes { bytes in
            indices.withUnsafeBufferPointer { indices in
                for command in commands { Self.render(command, bytes, indices, on: canvas) }
            }
        }
        canvas.resetClip()
    }

    private static func render(
        _ command: Command,
        _ vertices: UnsafeRawBufferPointer,
        _ indices: UnsafeBufferPointer<UInt16>,
        on canvas: Canvas
    ) {
        let (left, top) = (max(0, command.clip.left), max(0, command.clip.top))
        var place = Rect(
            x: Int(left),
            y: Int(top),
            width: Int(max(0, command.clip.right - left)),
            height: Int(max(0, command.clip.bottom - top))
        )
        if let clip = canvas.clip { place = place.intersection(clip) }
        var clip = SDL_Rect(place)
        guard clip.w > 0, clip.h > 0 else { return }
        SDL_RenderSetClipRect(canvas.renderer, &clip)
        if let video = command.video {
            return canvas.copy(within: place) { video.texture.draw(in: video.rect, radius: video.radius) }
        }
        guard let start = vertices.baseAddress, let first = indices.baseAddress else { return }
        let stride = MemoryLayout<Vertex>.stride
        let bytes = start + command.vertices * stride
        SDL_RenderGeometryRaw(
            canvas.renderer,
            command.texture,
            bytes.assumingMemoryBound(to: Float.self),
            Int32(stride),
            (bytes + 8).assumingMemoryBound(to: SDL_Color.self),
            Int32(stride),
            (bytes + 12).assumingMemoryBound(to: Float.self),
            Int32(stride),
            Int32(command.vertexCount),
            first + command.indices,
            Int32(command.indexCount),
            Int32(MemoryLayout<UInt16>.size)
        )
    }
}
