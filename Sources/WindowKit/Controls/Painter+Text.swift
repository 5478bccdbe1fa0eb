internal import Basics
internal import TextModel

extension Painter {
    package enum Alignment: Hashable, Sendable {
        case leading, center, trailing
    }

    /// Measures the width of the text on one line, in points.
    package func width(of text: String, _ style: TypeStyle) -> Double {
        Double(context.texts.layout(line(text, style)).size.width) / scale
    }

    /// Draws one line, vertically centered in the box and shortened if it does not fit.
    package func text(
        _ text: String,
        in box: Box,
        _ style: TypeStyle,
        _ color: Color,
        _ alignment: Alignment = .leading
    ) {
        guard box.width > 0, !text.isEmpty else { return }
        var paragraph = line(text, style)
        var layout = context.texts.layout(paragraph)
        if Double(layout.size.width) / scale > box.width + 0.5 {
            // In a narrower box, not even the first character of a longer text would fit.
            guard box.width >= style.size else { return }
            paragraph.width = Int((box.width * scale).rounded(.down))
            layout = context.texts.layout(paragraph)
        }
        let (width, height) = (Double(layout.size.width) / scale, Double(layout.size.height) / scale)
        let left =
            switch alignment {
            case .leading: box.x
            case .center: box.x + (box.width - width) / 2
            case .trailing: box.right - width
            }
        draw(paragraph, at: Point(left, box.y + (box.height - height) / 2), color)
    }

    /// Draws text from the top of the box, wrapped between words; the result is its height in points.
    @discardableResult package func paragraph(
        _ text: String,
        in box: Box,
        _ style: TypeStyle,
        _ color: Color,
        _ alignment: Alignment = .leading,
        limit: Int = 8
    ) -> Double {
        let paragraph = wrapped(text, style, width: box.width, limit: limit, alignment)
        draw(paragraph, at: Point(box.x, box.y), color)
        return height(of: text, style, width: box.width, limit: limit)
    }

    package func height(of text: String, _ style: TypeStyle, width: Double, limit: Int = 8) -> Double {
        guard !text.isEmpty else { return 0 }
        let layout = context.texts.layout(wrapped(text, style, width: width, limit: limit, .leading))
        return Double(layout.lineCount) * style.lineHeight
    }

    // MARK: - Messages

    /// Measures a text with line breaks, wrapped between words, in points.
    package func size(ofMessage text: String, width: Double) -> (width: Double, height: Double) {
        let layout = context.texts.layout(message(text, width: width))
        return (Double(layout.size.width) / scale, Double(layout.lineCount) * TypeStyle.body.lineHeight)
    }

    /// Draws a text with line breaks from the top of the box, wrapped between words.
    package func message(_ text: String, in box: Box, _ color: Color) {
        draw(message(text, width: box.width), at: Point(box.x, box.y), color)
    }

    private func message(_ text: String, width: Double) -> TextParagraph {
        let style = TypeStyle.body
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return TextParagraph(
            lines.map { Self.printable(String($0)) }.joined(separator: "\n"),
            font(style),
            width: Int((width * scale).rounded(.down)),
            lineHeight: style.lineHeight * scale
        )
    }

    /// Returns the paragraph for the text of a field with several lines, which are wrapped at a width in points.
    func paragraph(of displayed: DisplayedText, width: Double) -> TextParagraph {
        TextParagraph(
            displayed.string,
            font(.body),
            width: Int((width * scale).rounded(.down)),
            lineHeight: TypeStyle.body.lineHeight * scale
        )
    }

    /// Returns the paragraph for the text of a field on one line, without a maximum width.
    func paragraph(of displayed: DisplayedText) -> TextParagraph {
        TextParagraph(displayed.string, font(.body), maximumLines: 1)
    }

    func layout(of displayed: DisplayedText) -> LaidOutText { layout(paragraph(of: displayed)) }

    func layout(_ paragraph: TextParagraph) -> LaidOutText { context.texts.layout(paragraph) }

    /// Draws a paragraph with its top left corner at `corner`, in points.
    func draw(_ paragraph: TextParagraph, at corner: Point, _ color: Color) {
        let corner = pixels(corner)
        let rgb = UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
        guard opacity > 0, let first = context.texts.drawn(paragraph, rgb: rgb) else { return }
        let (x, y) = (
            Float(corner.x.rounded()) + Float(first.left), Float(corner.y.rounded()) + Float(first.top)
        )
        func place(_ offset: Int, _ height: Int) -> Edges {
            let top = y + Float(offset)
            return Edges(left: x, top: top, right: x + Float(first.width), bottom: top + Float(height))
        }
        func draw(_ drawn: TextCache<OpaquePointer>.Drawn, _ rect: Edges) {
            var ink = color
            if drawn.isColored { ink = Color(0xFF_FFFF, alpha: color.alpha) }
            context.list.image(drawn.texture, rect, .whole, identity: drawn.number, packed(ink))
        }
        draw(first, place(0, first.height))
        let height = TextImage.stripHeight
        for offset in stride(from: height, to: first.textHeight, by: height)
        where context.list.shows(place(offset, height)) {
            guard let next = context.texts.drawn(paragraph, strip: offset / height, rgb: rgb) else { return }
            draw(next, place(offset, next.height))
        }
    }

    /// Returns the paragraph for a text on one line, without a maximum width.
    func line(_ text: String, _ style: TypeStyle) -> TextParagraph {
        TextParagraph(Self.printable(text), font(style), maximumLines: 1)
    }

    private func wrapped(
        _ text: String,
        _ style: TypeStyle,
        width: Double,
        limit: Int,
        _ alignment: Alignment
    ) -> TextParagraph {
        TextParagraph(
            Self.printable(text),
            font(style),
            width: Int((width * scale).rounded(.down)),
            maximumLines: limit,
            alignment: alignment == .center ? .center : alignment == .trailing ? .trailing : .leading,
            lineHeight: style.lineHeight * scale
        )
    }

    private func font(_ style: TypeStyle) -> TextFont {
        TextFont(
            WindowFonts.preferred,
            style.weight == .regular ? .regular : .medium,
            pixels: style.size * scale
        )
    }

    /// Replaces control characters and line separators by spaces, because text from the network must not break
    /// a line.
    static func printable(_ text: String) -> String {
        func isBreak(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
            default: false
            }
        }
        guard text.unicodeScalars.contains(where: isBreak) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isBreak($0) ? " " : $0 }))
    }
}
