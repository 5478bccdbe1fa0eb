import Testing

@testable import WindowKit

@Suite("Textures of texts")
struct TextCacheTests {
    private final class Textures {
        var made = 0
        var alive = 0
    }

    private let textures = Textures()

    private func cache(limit: Int = 1 << 20) -> TextCache<Int> {
        TextCache(
            Typesetter(),
            limit: limit,
            make: { [textures] _ in
                textures.made += 1
                textures.alive += 1
                return textures.made
            },
            release: { [textures] _ in textures.alive -= 1 }
        )
    }

    private static func paragraph(_ text: String) -> TextParagraph {
        TextParagraph(text, TextFont("Roboto", pixels: 15))
    }

    @Test("Texts that differ only in color share one rendered texture")
    func once() {
        let cache = cache()
        let first = cache.drawn(Self.paragraph("Hello"), rgb: 0xFF_0000)
        let second = cache.drawn(Self.paragraph("Hello"), rgb: 0x00_FF00)
        #expect(first?.texture == second?.texture && first?.isColored == false)
        #expect(textures.made == 1)
        #expect(cache.drawn(Self.paragraph(""), rgb: 0) == nil)
    }

    @Test("The least recently used textures are released when the limit is exceeded")
    func limit() {
        let cache = cache(limit: 100_000)
        for number in 0..<200 { _ = cache.drawn(Self.paragraph("A text with the number \(number)"), rgb: 0) }
        #expect(cache.bytes <= 100_000)
        #expect(textures.alive < 100 && textures.made == 200)
        let before = textures.made
        _ = cache.drawn(Self.paragraph("A text with the number 199"), rgb: 0)
        #expect(textures.made == before)
        _ = cache.drawn(Self.paragraph("A text with the number 0"), rgb: 0)
        #expect(textures.made == before + 1)
        cache.removeAll()
        #expect(textures.alive == 0 && cache.bytes == 0)
    }
}
