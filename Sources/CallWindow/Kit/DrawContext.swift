internal import CImGui
internal import CSDL
internal import FoundationEssentials

/// A Dear ImGui context: the glyphs, the frame being drawn, and the last frame.
@WindowActor final class DrawContext {
    let imgui: OpaquePointer
    /// A function that creates a texture from opacities; it returns nil if a texture cannot have this size.
    typealias MakeTexture = (UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int) -> OpaquePointer?

    /// The largest scale at which glyphs are built, in pixels per point.
    ///
    /// At larger scales, these glyphs are enlarged, because the font atlas would take hundreds of megabytes.
    static let largestLetters = 4.0

    private var lettersTexture: OpaquePointer?
    /// The requested scale of the glyphs, in pixels per point.
    private var wantedScale = 0.0
    /// The scale at which the glyphs were built, in pixels per point.
    private(set) var lettersScale = 0.0

    init() {
        let clipboard = cig_clipboard(
            get: { SDL_GetClipboardText() },
            set: { SDL_SetClipboardText($0) },
            release: { SDL_free($0) }
        )
        // cig_create never returns null: if memory runs out, it ends the process.
        imgui = cig_create(clipboard)!
    }

    isolated deinit { cig_destroy(imgui) }

    /// Rebuilds the glyphs if their scale has changed; must be called between frames.
    ///
    /// If `texture` cannot create a texture of that size, the glyphs are built at a smaller scale and
    /// enlarged.
    func prepareLetters(_ files: FontFiles, scale: Double, texture: MakeTexture) {
        guard scale != wantedScale else { return }
        wantedScale = scale
        lettersScale = min(scale, Self.largestLetters)
        if let lettersTexture { SDL_DestroyTexture(lettersTexture) }
        lettersTexture = makeLetters(files, texture)
        while lettersTexture == nil, lettersScale > 0.5 {
            lettersScale /= 2
            lettersTexture = makeLetters(files, texture)
        }
        cig_fonts_enlarge(imgui, Float(scale / lettersScale))
        cig_fonts_set_texture(imgui, UnsafeMutableRawPointer(lettersTexture))
    }

    private func makeLetters(_ files: FontFiles, _ texture: MakeTexture) -> OpaquePointer? {
        var (width, height): (Int32, Int32) = (0, 0)
        var pixels = build(files, &width, &height)
        if pixels == nil {  // only the beginning of the font file is valid
            pixels = build(FontFiles(regular: nil, medium: nil, warning: nil), &width, &height)
        }
        let coverage = UnsafeBufferPointer(start: pixels, count: Int(width) * Int(height))
        return texture(coverage, Int(width), Int(height))
    }

    private func build(
        _ files: FontFiles,
        _ width: inout Int32,
        _ height: inout Int32
    ) -> UnsafePointer<UInt8>? {
        cig_fonts_forget(imgui)
        for style in TypeStyle.allCases {
            let pixels = Float(style.pixels(scale: lettersScale))
            let data = style.weight == .regular ? files.regular : files.medium
            let isAdded = data?.withUnsafeBytes { bytes in
                cig_fonts_add(imgui, bytes.baseAddress, bytes.count, pixels)
            }
            if isAdded != true { cig_fonts_add_builtin(imgui, pixels) }
        }
        return cig_fonts_build(imgui, &width, &height)
    }

    // MARK: - The last frame

    var digest: UInt64 { cig_frame_digest(imgui) }

    /// Renders the last frame on top of everything drawn so far.
    func render(on canvas: Canvas) {
        var command = cig_command()
        var index: Int32 = 0
        while cig_command_at(imgui, index, &command) {
            index += 1
            render(command, on: canvas)
        }
        canvas.resetClip()
    }

    private func render(_ command: cig_command, on canvas: Canvas) {
        let (left, top) = (max(0, command.clip.left), max(0, command.clip.top))
        var place = Rect(
            x: Int(left),
            y: Int(top),
            width: Int(max(0, command.clip.right - left)),
            height: Int(max(0, command.clip.bottom - top))
        )
        if let clip = canvas.clip { place = place.intersection(clip) }
        var clip = SDL_Rect(place)
        guard clip.w > 0, clip.h > 0, let vertices = command.vertices else { return }
        let renderer = canvas.renderer
        SDL_RenderSetClipRect(renderer, &clip)
        let bytes = UnsafeRawPointer(vertices)
        let stride = Int32(MemoryLayout<cig_vertex>.stride)
        SDL_RenderGeometryRaw(
            renderer,
            OpaquePointer(command.texture),
            bytes.assumingMemoryBound(to: Float.self),
            stride,
            (bytes + 16).assumingMemoryBound(to: SDL_Color.self),
            stride,
            (bytes + 8).assumingMemoryBound(to: Float.self),
            stride,
            command.vertex_count,
            command.indices,
            command.index_count,
            Int32(MemoryLayout<UInt16>.size)
        )
    }
}
