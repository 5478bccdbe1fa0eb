internal import Basics
internal import CSDL

/// A drawing surface on an SDL renderer; its textures are valid as long as the renderer exists.
@WindowActor package final class Canvas {
    let renderer: OpaquePointer
    package let sprites: Sprites
    /// Whether the CPU draws instead of a graphics device.
    package let isSoftware: Bool
    /// The clip rectangle of the current drawing; nil for the whole window.
    private(set) var clip: Rect?

    package init(renderer: OpaquePointer) {
        self.renderer = renderer
        var info = SDL_RendererInfo()
        isSoftware =
            SDL_GetRendererInfo(renderer, &info) == 0 && info.flags & SDL_RENDERER_SOFTWARE.rawValue != 0
        sprites = Sprites(renderer: renderer)
        SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND)
    }

    /// The output size in pixels.
    package var size: (width: Int, height: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        SDL_GetRendererOutputSize(renderer, &width, &height)
        return (Int(width), Int(height))
    }

    /// Draws inside `clip` only, while `body` runs.
    package func draw(within clip: Rect?, _ body: () -> Void) {
        self.clip = clip
        resetClip()
        body()
        self.clip = nil
        resetClip()
    }

    /// Restricts `copy(_:to:radius:)` to `part` of the clip rectangle while `body` runs.
    func copy(within part: Rect, _ body: () -> Void) {
        let whole = clip
        clip = whole.map { $0.intersection(part) } ?? part
        body()
        clip = whole
    }

    func resetClip() {
        guard let clip else { return _ = SDL_RenderSetClipRect(renderer, nil) }
        withUnsafePointer(to: SDL_Rect(clip)) { _ = SDL_RenderSetClipRect(renderer, $0) }
    }

    package func clear(_ color: Color) {
        setColor(color)
        SDL_RenderClear(renderer)
    }

    package func fill(_ rect: Rect, _ color: Color) {
        setColor(color)
        withUnsafePointer(to: SDL_Rect(rect)) { _ = SDL_RenderFillRect(renderer, $0) }
    }

    /// Draws the outline of the rectangle, `thickness` pixels wide, inside its edges.
    package func frame(_ rect: Rect, thickness: Int, _ color: Color) {
        setColor(color)
        for inset in 0..<max(1, thickness) {
            withUnsafePointer(to: SDL_Rect(rect.grown(by: -inset))) {
                _ = SDL_RenderDrawRect(renderer, $0)
            }
        }
    }

    /// Fills the rectangle with a vertical gradient, drawn as one band per shade.
    package func fill(_ rect: Rect, from top: Color, to bottom: Color) {
        let bands = min(top.largestDifference(to: bottom) + 1, rect.height)
        for band in 0..<bands {
            let (start, end) = (rect.height * band / bands, rect.height * (band + 1) / bands)
            let part = Rect(x: rect.x, y: rect.y + start, width: rect.width, height: end - start)
            fill(part, top.mixed(with: bottom, share: Double(band) / Double(max(1, bands - 1))))
        }
    }

    /// Copies a frame, with rounded corners, to a rectangle of the same size in the window's surface.
    ///
    /// If it were drawn through a texture, SDL would copy the pixels twice.
    ///
    /// - Returns: false if the renderer does not draw into memory, or if the frame or the surface is not in
    ///   BGRx.
    func copy(_ frame: VideoFrame, to rect: Rect, radius: Int = 0) -> Bool {
        guard isSoftware, frame.format == .bgrx, SDL_RenderFlush(renderer) == 0,
            let window = SDL_RenderGetWindow(renderer), let surface = SDL_GetWindowSurface(window)?.pointee,
            surface.format.pointee.format == SDL_PIXELFORMAT_RGB888.rawValue, let pixels = surface.pixels
        else { return false }
        var area = Rect(x: 0, y: 0, width: Int(surface.w), height: Int(surface.h)).intersection(rect)
        if let clip { area = area.intersection(clip) }
        let radius = min(radius, rect.width / 2, rect.height / 2)
        frame.withPlanes { planes in
            for y in area.y..<area.y + area.height {
                let row = min(y - rect.y, rect.y + rect.height - 1 - y)
                let inset = row < radius ? inset(of: row, radius) : 0
                let left = max(area.x, rect.x + inset)
                let right = min(area.x + area.width, rect.x + rect.width - inset)
                guard left < right else { continue }
                let start = (y - rect.y) * planes[0].stride + 4 * (left - rect.x)
                let end = start + 4 * (right - left)
                let part = UnsafeRawBufferPointer(rebasing: planes[0].bytes[start..<end])
                let place = pixels + y * Int(surface.pitch) + 4 * left
                UnsafeMutableRawBufferPointer(start: place, count: part.count).copyMemory(from: part)
            }
        }
        return true
    }

    func draw(_ texture: OpaquePointer, in rect: Rect) {
        withUnsafePointer(to: SDL_Rect(rect)) { _ = SDL_RenderCopy(renderer, texture, nil, $0) }
    }

    package func draw(_ glyph: Glyph, in rect: Rect, _ color: Color) {
        guard let texture = sprites.texture(of: .glyph(glyph, side: rect.width)) else { return }
        SDL_SetTextureColorMod(texture, color.red, color.green, color.blue)
        SDL_SetTextureAlphaMod(texture, color.alpha)
        draw(texture, in: rect)
    }

    private func setColor(_ color: Color) {
        SDL_SetRenderDrawColor(renderer, color.red, color.green, color.blue, color.alpha)
    }

    /// Draws a texture with rounded corners: the rows at the corners are copied without their ends.
    func draw(_ texture: OpaquePointer, in rect: Rect, radius: Int) {
        let radius = min(radius, rect.width / 2, rect.height / 2)
        guard radius > 0 else { return draw(texture, in: rect) }
        var (width, height): (Int32, Int32) = (0, 0)
        SDL_QueryTexture(texture, nil, nil, &width, &height)
        let across = Double(width) / Double(rect.width)
        let down = Double(height) / Double(rect.height)
        func copy(inset: Int, top: Int, rows: Int) {
            var part = SDL_Rect(
                x: Int32(Double(inset) * across),
                y: min(Int32(Double(top) * down), height - 1),
                w: max(1, Int32(Double(rect.width - 2 * inset) * across)),
                h: max(1, Int32(Double(rows) * down))
            )
            var place = SDL_Rect(
                x: Int32(rect.x + inset),
                y: Int32(rect.y + top),
                w: Int32(rect.width - 2 * inset),
                h: Int32(rows)
            )
            SDL_RenderCopy(renderer, texture, &part, &place)
        }
        // Rows of equal length are copied together, because each copy is costly.
        var row = 0
        while row < radius {
            let inset = inset(of: row, radius)
            let end = (row..<radius).first { self.inset(of: $0, radius) != inset } ?? radius
            copy(inset: inset, top: row, rows: end - row)
            copy(inset: inset, top: rect.height - end, rows: end - row)
            row = end
        }
        copy(inset: 0, top: radius, rows: rect.height - 2 * radius)
    }

    /// Computes the indentation of a row at a rounded corner, in pixels.
    private func inset(of row: Int, _ radius: Int) -> Int {
        let height = Double(radius - row) - 0.5
        return radius - Int((Double(radius * radius) - height * height).squareRoot().rounded())
    }
}

extension SDL_Rect {
    init(_ rect: Rect) {
        self.init(x: Int32(rect.x), y: Int32(rect.y), w: Int32(rect.width), h: Int32(rect.height))
    }
}
