internal import Basics
internal import CSDL

/// The textures of the recently drawn pictures.
@WindowActor final class Pictures {
    /// The maximum number of textures; the least recently drawn ones are destroyed first.
    private static let maximum = 64

    enum Texture {
        case video(VideoTexture)
        /// A texture in the displayed size, with transparent corners.
        case rounded(OpaquePointer)
    }

    private struct Key: Hashable {
        let picture: ObjectIdentifier
        /// The displayed size; nil for a picture that the renderer scales.
        let rounded: RoundedPicture?
    }

    private struct Entry {
        /// The picture, which is retained so that no other one gets its identifier.
        let picture: VideoFrame
        let texture: Texture
        var lastUse: Int
    }

    private struct Moving {
        /// The picture that the texture shows; not retained, because a camera needs its buffers.
        weak var picture: VideoFrame?
        let texture: VideoTexture
    }

    private let canvas: Canvas
    /// The textures of pictures that change often, by the control that shows them.
    private var moving: [ControlID: Moving] = [:]
    private var entries: [Key: Entry] = [:]
    private var uses = 0

    init(_ canvas: Canvas) { self.canvas = canvas }

    /// Returns the texture of a picture that is displayed as `rounded`; nil if the renderer cannot create it.
    ///
    /// Only pictures in BGRx have transparent corners.
    func texture(of picture: VideoFrame, _ rounded: RoundedPicture) -> Texture? {
        uses += 1
        let isRounded = picture.format == .bgrx
        let key = Key(picture: ObjectIdentifier(picture), rounded: isRounded ? rounded : nil)
        if let texture = entries[key]?.texture {
            entries[key]?.lastUse = uses
            return texture
        }
        guard let texture = isRounded ? roundedTexture(of: picture, rounded) : videoTexture(of: picture)
        else { return nil }
        entries[key] = Entry(picture: picture, texture: texture, lastUse: uses)
        return texture
    }

    private func roundedTexture(of picture: VideoFrame, _ rounded: RoundedPicture) -> Texture? {
        guard let pixels = rounded.pixels(of: picture) else { return nil }
        let (width, height) = (rounded.size.width, rounded.size.height)
        return Sprites.makeTexture(pixels, width: width, height: height, on: canvas.renderer)
            .map { .rounded($0) }
    }

    private func videoTexture(of picture: VideoFrame) -> Texture? {
        let texture = VideoTexture(canvas: canvas)
        return texture.setFrame(SizedFrame(original: picture)) ? .video(texture) : nil
    }

    /// Returns the texture for a control whose picture changes often, such as a camera's; nil if the renderer cannot
    /// create it.
    func texture(of picture: VideoFrame, changingIn control: ControlID) -> VideoTexture? {
        let last = moving[control]
        if let last, last.picture === picture { return last.texture }
        let texture = last?.texture ?? VideoTexture(canvas: canvas)
        guard texture.setFrame(SizedFrame(original: picture)) else { return nil }
        moving[control] = Moving(picture: picture, texture: texture)
        return texture
    }

    /// Destroys the textures that exceed the maximum; to be called when no frame drawn so far needs them.
    func trim() {
        guard entries.count > Self.maximum else { return }
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(
            entries.count - Self.maximum
        )
        for (key, entry) in oldest {
            switch entry.texture {
            case .video(let texture): texture.clear()
            case .rounded(let texture): SDL_DestroyTexture(texture)
            }
            entries[key] = nil
        }
    }
}
