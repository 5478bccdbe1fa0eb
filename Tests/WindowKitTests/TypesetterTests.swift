import TextModel
import Testing

@testable import WindowKit

@Suite("Text that Pango lays out")
struct TypesetterTests {
    private static let font = TextFont("Roboto", pixels: 20)
    private let typesetter = Typesetter()

    private func layout(
        _ text: String,
        width: Int? = nil,
        lines: Int? = nil,
        _ alignment: TextParagraph.Alignment = .leading
    ) -> LaidOutText {
        typesetter.layout(
            TextParagraph(text, Self.font, width: width, maximumLines: lines, alignment: alignment)
        )
    }

    private static func caretPositions(of text: String) -> [Int] {
        text.indices.map { text.utf8.distance(from: text.startIndex, to: $0) } + [text.utf8.count]
    }

    @Test(
        "The caret at a position inside a character is at the start of that character",
        arguments: ["", "abc", "Київ", "e\u{301}a\u{308}", "👩‍👩‍👧‍👦x", "🇺🇦🇬🇧", "שלום", "a שלום b", "日本語", "a\nb"]
    )
    func caretPositions(text: String) {
        let layout = layout(text)
        let valid = Self.caretPositions(of: text)
        for offset in 0...text.utf8.count {
            let position = DisplayedPosition(offset)
            let nearest = valid.last { $0 <= offset } ?? 0
            #expect(layout.caret(at: position) == layout.caret(at: DisplayedPosition(nearest)), "\(offset)")
        }
    }

    @Test(
        "A click at the place of a caret returns the position of that caret",
        arguments: ["abc", "Київ", "e\u{301}a\u{308}", "שלום", "日本語", "👩‍👩‍👧‍👦x"]
    )
    func hits(text: String) {
        let layout = layout(text)
        for offset in Self.caretPositions(of: text) {
            let caret = layout.caret(at: DisplayedPosition(offset))
            let point = TextPoint(x: caret.top.x, y: caret.top.y + caret.height / 2)
            #expect(layout.hit(at: point).caret.offset == offset, "\(offset)")
        }
    }

    @Test("Movement to the right visits every caret position of a bidirectional text, up to the right edge")
    func visualMovement() {
        let text = "ab שלום cd"
        let layout = layout(text)
        var position = DisplayedPosition(0)
        var xs = [layout.caret(at: position).top.x]
        var steps = 0
        while let next = layout.position(beside: position, .right), steps < 50 {
            position = next
            xs.append(layout.caret(at: position).top.x)
            steps += 1
        }
        #expect(steps == text.count)
        #expect(position.offset == text.utf8.count)
        #expect(xs.last == xs.max())
        #expect(layout.position(beside: DisplayedPosition(0), .left) == nil)
    }

    @Test("A right-to-left text begins at the right edge of its width")
    func rightToLeft() {
        let layout = layout("שלום", width: 300)
        #expect(layout.caret(at: DisplayedPosition(0)).top.x == 300)
        let end = layout.caret(at: DisplayedPosition("שלום".utf8.count)).top.x
        #expect(end < 300 && end > 200)
    }

    @Test("Lines are wrapped between words, and within a word that is too long")
    func wrapping() {
        let words = layout("one two three four", width: 60)
        #expect(words.lineCount == 4)
        #expect(words.size.width <= 60)
        let word = layout("Donaudampfschifffahrt", width: 60)
        #expect(word.lineCount > 2)
        #expect(word.size.width <= 60)
        let chinese = layout("日本語日本語日本語", width: 60)
        #expect(chinese.lineCount > 1)
    }

    @Test("A text that needs more lines than permitted is shortened with an ellipsis")
    func shortening() {
        #expect(!layout("one two", width: 200, lines: 1).isShortened)
        let one = layout("one two three four", width: 100, lines: 1)
        #expect(one.isShortened && one.lineCount == 1 && one.size.width <= 100)
        let two = layout("one two three four five six seven", width: 60, lines: 2)
        #expect(two.isShortened && two.lineCount == 2)
        #expect(layout("one\ntwo", lines: 1).lineCount == 1)
    }

    @Test("Movement by lines keeps the column, and has no result above the first and below the last line")
    func lines() {
        let text = "first line is long\nab\nthird line is long"
        let layout = layout(text)
        let start = DisplayedPosition(15)
        let x = layout.caret(at: start).top.x
        // The second line is shorter.
        #expect(layout.position(lines: 1, below: start, x: x) == DisplayedPosition(21))
        #expect(
            layout.line(containing: DisplayedPosition(20)) == DisplayedPosition(19)...DisplayedPosition(21)
        )
        let third = layout.position(lines: 2, below: start, x: x)
        #expect(third.map { abs(layout.caret(at: $0).top.x - x) < 10 } == true)
        #expect(third.map { $0.offset >= 22 } == true)
        #expect(layout.position(lines: 3, below: start, x: x) == nil)
        #expect(layout.position(lines: -1, below: start, x: x) == nil)
    }

    @Test("A position at which a line is wrapped belongs to the lower line")
    func wrappedLine() {
        let layout = layout("aaaa bbbb", width: 50)
        #expect(layout.lineCount == 2)
        #expect(layout.line(containing: DisplayedPosition(5)) == DisplayedPosition(5)...DisplayedPosition(9))
        #expect(layout.line(containing: DisplayedPosition(2)) == DisplayedPosition(0)...DisplayedPosition(4))
    }

    @Test("Selected text has one box on each line that it covers")
    func boxes() {
        let layout = layout("first\nsecond\nthird")
        let boxes = layout.boxes(of: DisplayedPosition(2)..<DisplayedPosition(15))
        #expect(boxes.count == 3)
        #expect(zip(boxes, boxes.dropFirst()).allSatisfy { $0.y < $1.y })
        #expect(layout.boxes(of: DisplayedPosition(1)..<DisplayedPosition(3)).count == 1)
    }

    @Test("A rendered text without emoji has opaque letters of the given color and no other colors")
    func rendering() {
        let white = layout("Hello, Київ").rendered()
        #expect(white.width > 50 && white.height > 10)
        #expect(white.pixels.contains(0xFFFF_FFFF))
        #expect(!white.isColorful)
        #expect(layout("Hello").rendered(rgb: 0xFF_0000).pixels.contains(0xFFFF_0000))
        #expect(layout("").rendered().pixels.isEmpty)
    }

    @Test("A text that is too wide for a texture is not rendered")
    func hugeText() {
        #expect(layout(String(repeating: "word ", count: 10_000)).rendered().pixels.isEmpty)
    }

    @Test("A text of many lines is rendered in strips, one below the other")
    func strips() {
        let layout = layout(String(repeating: "word ", count: 600), width: 100)
        var bottom = layout.rendered().top
        var strip = 0
        while case let image = layout.rendered(strip: strip), !image.pixels.isEmpty {
            #expect(image.top == bottom && image.height <= TextImage.stripHeight)
            #expect(image.height < TextImage.stripHeight || image.pixels.contains(0xFFFF_FFFF))
            bottom += image.height
            strip += 1
        }
        #expect(strip > 10 && bottom - layout.rendered().top == layout.rendered().textHeight)
        #expect(bottom >= layout.size.height)
    }

    @Test("Control characters and invalid text are laid out without a trap")
    func hostileText() {
        let texts = [
            "\0a", "\u{202E}abc", "\u{FEFF}", "\r\n", String(decoding: [0xFF, 0xC0], as: UTF8.self),
        ]
        for text in texts {
            let layout = layout(text, width: 10, lines: 2)
            _ = layout.rendered()
            for offset in -1...5 {
                _ = layout.caret(at: DisplayedPosition(offset))
                _ = layout.position(beside: DisplayedPosition(offset), .left)
                _ = layout.line(containing: DisplayedPosition(offset))
            }
        }
    }
}
