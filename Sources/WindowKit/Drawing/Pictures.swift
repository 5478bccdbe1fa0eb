internal import Basics

/// The textures of the recently drawn pictures.
@WindowActor final class Pictures {
    /// The maximum number of textures; the least recently drawn ones are destroyed first.
    private static let maximum = 64

    private struct Entry {
        /// The picture, which is retained so that no other one gets its identifier.
        let picture: VideoFrame
        let texture: VideoTexture
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
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var uses = 0

    init(_ canvas: Canvas) { self.canvas = canvas }

    /// Returns the texture of a picture; nil if the renderer cannot create it.
    func texture(of picture: VideoFrame) -> VideoTexture? {
        uses += 1
        let id = ObjectIdentifier(picture)
        if let texture = entries[id]?.texture {
            entries[id]?.lastUse = uses
            return texture
        }
        let texture = VideoTexture(canvas: canvas)
        guard texture.setFrame(SizedFrame(original: picture)) else { return nil }
        entries[id] = Entry(picture: picture, texture: texture, lastUse: uses)
        return texture
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
        for (id, entry) in oldest {
            entry.texture.clear()
            entries[id] = nil
        }
    }
}
