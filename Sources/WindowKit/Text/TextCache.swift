/// The layouts and textures of recently drawn texts; the least recently used ones are released first.
package final class TextCache<Texture> {
    /// A texture and its position relative to the text's top left corner.
    package struct Drawn {
        package let texture: Texture
        package let left: Int
        package let top: Int
        package let width: Int
        package let height: Int
        /// The height of the whole text; the texture may be a strip of it.
        package let textHeight: Int
        /// The number of the texture, unique among all textures that the cache ever creates.
        package let number: UInt64
        /// Whether the texture has its final colors; otherwise it is white, and must be colored while it is drawn.
        package let isColored: Bool
    }

    private struct Key: Hashable {
        let paragraph: TextParagraph
        let strip: Int
        /// The color of the letters; nil for a white image.
        let rgb: UInt32?
    }

    private struct Entry {
        let drawn: Drawn?
        let bytes: Int
        var lastUse: UInt64
    }

    private let typesetter: Typesetter
    private let limit: Int
    private let make: (TextImage) -> Texture?
    private let release: (Texture) -> Void
    private var layouts: [TextParagraph: (layout: LaidOutText, lastUse: UInt64)] = [:]
    private var entries: [Key: Entry] = [:]
    /// The paragraphs whose letters have colors of their own.
    private var colorful: Set<TextParagraph> = []
    private var uses: UInt64 = 0
    /// The memory of all textures in bytes.
    package private(set) var bytes = 0

    /// The maximum number of layouts.
    package static var maximumLayouts: Int { 2048 }

    /// Creates a cache whose textures take at most `limit` bytes, or more if the newest one alone is larger.
    ///
    /// `make` creates a texture, or returns nil if the renderer cannot; `release` destroys one.
    package init(
        _ typesetter: Typesetter,
        limit: Int,
        make: @escaping (TextImage) -> Texture?,
        release: @escaping (Texture) -> Void
    ) {
        (self.typesetter, self.limit, self.make, self.release) = (typesetter, limit, make, release)
    }

    /// Returns the layout of a paragraph.
    package func layout(_ paragraph: TextParagraph) -> LaidOutText {
        uses += 1
        if let known = layouts[paragraph] {
            layouts[paragraph]?.lastUse = uses
            return known.layout
        }
        if layouts.count >= Self.maximumLayouts { trimLayouts() }
        let layout = typesetter.layout(paragraph)
        layouts[paragraph] = (layout, uses)
        return layout
    }

    /// Returns the texture of a strip of a paragraph, as rendered by `LaidOutText`; nil if it is empty or cannot be
    /// created.
    ///
    /// `rgb` is the color of the letters, as `0xRRGGBB`, for a texture that cannot be colored while it is drawn.
    package func drawn(_ paragraph: TextParagraph, strip: Int = 0, rgb: UInt32) -> Drawn? {
        uses += 1
        let key = Key(
            paragraph: paragraph,
            strip: strip,
            rgb: colorful.contains(paragraph) ? rgb : nil
        )
        if let entry = entries[key] {
            entries[key]?.lastUse = uses
            return entry.drawn
        }
        let image = layout(paragraph).rendered(strip: strip, rgb: key.rgb ?? 0xFF_FFFF)
        if key.rgb == nil, image.isColorful {
            colorful.insert(paragraph)
            return drawn(paragraph, strip: strip, rgb: rgb)
        }
        let texture = image.pixels.isEmpty ? nil : make(image)
        let drawn = texture.map {
            Drawn(
                texture: $0,
                left: image.left,
                top: image.top,
                width: image.width,
                height: image.height,
                textHeight: image.textHeight,
                number: uses,
                isColored: key.rgb != nil
            )
        }
        let size = 4 * image.width * image.height
        entries[key] = Entry(drawn: drawn, bytes: size, lastUse: uses)
        bytes += size
        if bytes > limit { trimTextures(keeping: key) }
        return drawn
    }

    /// Releases everything, because the renderer or the fonts have changed.
    package func removeAll() {
        for drawn in entries.values.compactMap(\.drawn) { release(drawn.texture) }
        (entries, layouts, colorful, bytes) = ([:], [:], [], 0)
    }

    /// Releases the least recently used textures until the remaining ones take at most three quarters of the limit.
    private func trimTextures(keeping key: Key) {
        for (old, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where old != key {
            guard bytes > limit / 4 * 3 else { return }
            if let drawn = entry.drawn { release(drawn.texture) }
            entries[old] = nil
            bytes -= entry.bytes
        }
    }

    private func trimLayouts() {
        let old = layouts.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(Self.maximumLayouts / 4)
        for (paragraph, _) in old {
            layouts[paragraph] = nil
            colorful.remove(paragraph)
        }
    }
}
