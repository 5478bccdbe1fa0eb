internal import Basics
internal import CImGui

extension Painter {
    enum Alignment: Hashable, Sendable {
        case leading, center, trailing
    }

    /// Measures the width of the text on one line, in points.
    func width(of text: String, _ style: TypeStyle) -> Double {
        measure(Self.printable(text), style)
    }

    /// Draws one line, vertically centered in the box and truncated if it does not fit.
    func text(
        _ text: String,
        in box: Box,
        _ style: TypeStyle,
        _ color: Color,
        _ alignment: Alignment = .leading
    ) {
        guard box.width >= style.size else { return }  // not even its first character would fit
        let line = fitted(Self.printable(text), style, width: box.width)
        let width = measure(line, style)
        let left =
            switch alignment {
            case .leading: box.x
            case .center: box.x + (box.width - width) / 2
            case .trailing: box.right - width
            }
        let height = style.pixels(scale: scale) / scale
        let corner = pixels(Point(left, box.y + (box.height - height) / 2))
        draw(line, style, corner, color)
    }

    /// Draws text from the top of the box, wrapped between words; the result is its height in points.
    @discardableResult func paragraph(
        _ text: String,
        in box: Box,
        _ style: TypeStyle,
        _ color: Color,
        _ alignment: Alignment = .leading,
        limit: Int = 8
    ) -> Double {
        let lines = lines(of: text, style, width: box.width, limit: limit)
        for (index, line) in lines.enumerated() {
            let top = box.y + Double(index) * style.lineHeight
            self.text(
                line,
                in: Box(x: box.x, y: top, width: box.width, height: style.lineHeight),
                style,
                color,
                alignment
            )
        }
        return Double(lines.count) * style.lineHeight
    }

    func height(of text: String, _ style: TypeStyle, width: Double, limit: Int = 8) -> Double {
        Double(lines(of: text, style, width: width, limit: limit).count) * style.lineHeight
    }

    /// Wraps the text between words; the last of at most `limit` lines contains all remaining words.
    func lines(of text: String, _ style: TypeStyle, width: Double, limit: Int = 8) -> [String] {
        var lines: [String] = []
        for word in Self.printable(text).split(separator: " ") {
            let joined = (lines.last.map { $0 + " " } ?? "") + word
            if let last = lines.indices.last, lines.count == limit || measure(joined, style) <= width {
                lines[last] = joined
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    // MARK: - One line

    private func fitted(_ text: String, _ style: TypeStyle, width: Double) -> String {
        guard measure(text, style) > width + 0.5 else { return text }
        var (low, high) = (0, text.count)
        while low < high {
            let middle = (low + high + 1) / 2
            if measure(text.prefix(middle) + "…", style) <= width { low = middle } else { high = middle - 1 }
        }
        return text.prefix(low) + "…"
    }

    private func measure(_ text: String, _ style: TypeStyle) -> Double {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { letters in
                Double(cig_text_size(imgui, Int32(style.rawValue), letters.baseAddress, letters.count).width)
                    / scale
            }
        }
    }

    private func draw(_ text: String, _ style: TypeStyle, _ corner: Point, _ color: Color) {
        guard opacity > 0, !text.isEmpty else { return }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { letters in
                cig_text(
                    imgui,
                    Int32(style.rawValue),
                    Float(corner.x.rounded()),
                    Float(corner.y.rounded()),
                    letters.baseAddress,
                    letters.count,
                    packed(color)
                )
            }
        }
    }

    /// Replaces control characters by spaces, because text from the network must not break a line.
    private static func printable(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !isPlain else { return text }
        let scalars = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
