internal import CPango
package import TextModel

/// A text that has been laid out: its size, its lines and its caret positions.
///
/// Lengths are in pixels. It must be used on the thread of its `Typesetter`.
package final class LaidOutText {
    private let layout: OpaquePointer

    /// Takes ownership of a `PangoLayout`.
    init(taking layout: OpaquePointer) { self.layout = layout }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// The width and height of the text; some glyphs may extend beyond them.
    package var size: (width: Int, height: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        pango_layout_get_pixel_size(layout, &width, &height)
        return (Int(width), Int(height))
    }

    /// The distance from the top to the first baseline.
    package var baseline: Double { pango_units_to_double(pango_layout_get_baseline(layout)) }

    package var lineCount: Int { Int(pango_layout_get_line_count(layout)) }

    /// Whether the text did not fit, and ends with an ellipsis.
    package var isShortened: Bool { pango_layout_is_ellipsized(layout) != 0 }

    /// Whether a letter of the text is missing from all installed fonts.
    package var hasUnknownLetters: Bool { pango_layout_get_unknown_glyphs_count(layout) > 0 }

    /// Renders a strip of the text; a text of many lines has several strips.
    ///
    /// - Parameters:
    ///   - strip: The number of the strip, counted from 0 at the top.
    ///   - rgb: The color of letters without colors of their own, as `0xRRGGBB`.
    /// - Returns: The image; empty if the strip is outside the text, or if the text is wider than
    ///   `TextImage.largestSide`.
    package func rendered(strip: Int = 0, rgb: UInt32 = 0xFF_FFFF) -> TextImage {
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        pango_layout_get_pixel_extents(layout, &ink, &logical)
        let left = min(ink.x, logical.x)
        let start = min(ink.y, logical.y)
        let right = max(ink.x + ink.width, logical.x + logical.width)
        let bottom = max(ink.y + ink.height, logical.y + logical.height)
        let (width, textHeight) = (Int(right - left), Int(bottom - start))
        let offset = strip * TextImage.stripHeight
        let height = min(textHeight - offset, TextImage.stripHeight)
        guard (1...TextImage.largestSide).contains(width), height > 0 else {
            return TextImage(left: 0, top: 0, width: 0, height: 0, textHeight: 0, pixels: [])
        }
        let top = Int(start) + offset
        var pixels = [UInt32](repeating: 0, count: width * height)
        pixels.withUnsafeMutableBytes { bytes in
            let surface = cairo_image_surface_create_for_data(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                CAIRO_FORMAT_ARGB32,
                Int32(width),
                Int32(height),
                Int32(4 * width)
            )
            let context = cairo_create(surface)
            let parts = [16, 8, 0].map { Double(rgb >> $0 & 0xFF) / 255 }
            cairo_set_source_rgb(context, parts[0], parts[1], parts[2])
            cairo_translate(context, -Double(left), -Double(top))
            pango_cairo_show_layout(context, layout)
            cairo_destroy(context)
            cairo_surface_flush(surface)
            cairo_surface_destroy(surface)
        }
        return TextImage(
            left: Int(left),
            top: top,
            width: width,
            height: height,
            textHeight: textHeight,
            pixels: pixels
        )
    }

    /// Returns the boxes that are drawn behind selected text, one or more for each line.
    package func boxes(of range: Range<DisplayedPosition>) -> [TextBox] {
        var boxes: [TextBox] = []
        forEachLine { line, box in
            let (start, end) = (
                Int(line.pointee.start_index), Int(line.pointee.start_index + line.pointee.length)
            )
            guard range.lowerBound.offset <= end, range.upperBound.offset > start else { return }
            var ranges: UnsafeMutablePointer<Int32>?
            var count: Int32 = 0
            pango_layout_line_get_x_ranges(
                line,
                Int32(clamping: range.lowerBound.offset),
                Int32(clamping: range.upperBound.offset),
                &ranges,
                &count
            )
            defer { g_free(ranges) }
            guard let ranges else { return }
            for index in 0..<Int(count) {
                let (left, right) = (
                    pango_units_to_double(ranges[2 * index]), pango_units_to_double(ranges[2 * index + 1])
                )
                boxes.append(TextBox(x: left, y: box.y, width: right - left, height: box.height))
            }
        }
        return boxes
    }

    private func index(ofLineAt offset: Int) -> Int {
        var line: Int32 = 0
        pango_layout_index_to_line_x(layout, Int32(clamping: offset), 0, &line, nil)
        return Int(line)
    }

    private func forEachLine(_ body: (UnsafeMutablePointer<PangoLayoutLine>, TextBox) -> Void) {
        let iterator = pango_layout_get_iter(layout)
        defer { pango_layout_iter_free(iterator) }
        repeat {
            var (ink, logical) = (PangoRectangle(), PangoRectangle())
            pango_layout_iter_get_line_extents(iterator, &ink, &logical)
            guard let line = pango_layout_iter_get_line_readonly(iterator) else { continue }
            body(line, Self.box(logical))
        } while pango_layout_iter_next_line(iterator) != 0
    }

    private static func box(_ rectangle: PangoRectangle) -> TextBox {
        TextBox(
            x: pango_units_to_double(rectangle.x),
            y: pango_units_to_double(rectangle.y),
            width: pango_units_to_double(rectangle.width),
            height: pango_units_to_double(rectangle.height)
        )
    }
}

/// A rectangle in a laid out text, in pixels.
package struct TextBox: Hashable, Sendable {
    package let x: Double
    package let y: Double
    package let width: Double
    package let height: Double
}

/// A rendered text, or a strip of it.
package struct TextImage: Sendable {
    /// The maximum width and height in pixels; textures of common renderers are not larger.
    package static let largestSide = 8192
    /// The height in pixels of each strip except the last one, which may be lower; invisible strips are not rendered.
    package static let stripHeight = 512

    /// The position of the image relative to the text's top left corner; negative if glyphs extend beyond that corner.
    package let left: Int
    package let top: Int
    package let width: Int
    package let height: Int
    /// The height of the whole text.
    package let textHeight: Int
    /// The pixels as `0xAARRGGBB`, with colors multiplied by their opacity, row by row.
    package let pixels: [UInt32]

    /// Whether some pixels are not white: those of letters with colors of their own, such as emoji, or all if
    /// the text was rendered in another color.
    ///
    /// Only a white image can be colored while it is drawn.
    package let isColorful: Bool

    init(left: Int, top: Int, width: Int, height: Int, textHeight: Int, pixels: [UInt32]) {
        (self.left, self.top, self.width, self.height) = (left, top, width, height)
        (self.textHeight, self.pixels) = (textHeight, pixels)
        isColorful = pixels.contains { pixel in
            let alpha = pixel >> 24
            return pixel & 0xFF_FFFF != alpha << 16 | alpha << 8 | alpha
        }
    }
}

extension LaidOutText: TextLayout {
    private var text: UnsafePointer<CChar>? { pango_layout_get_text(layout) }

    private var length: Int { text.map { strlen($0) } ?? 0 }

    /// Returns the last caret position at or before a position, as a byte offset within the text.
    private func valid(_ position: DisplayedPosition) -> Int32 {
        let offset = min(max(position.offset, 0), length)
        let positions = caretPositions
        return Int32(positions.last { $0 <= offset } ?? 0)
    }

    /// The byte offsets of all possible caret positions.
    private var caretPositions: [Int] {
        var count: Int32 = 0
        guard let attributes = pango_layout_get_log_attrs_readonly(layout, &count), let text else {
            return [0]
        }
        var positions: [Int] = []
        var offset = 0
        for index in 0..<Int(count) {
            if attributes[index].is_cursor_position != 0 { positions.append(offset) }
            guard index + 1 < Int(count) else { break }
            offset = Self.next(offset, in: text)
        }
        return positions
    }

    /// Returns the byte offset of the end of the Unicode scalar that begins at `offset`.
    private static func next(_ offset: Int, in text: UnsafePointer<CChar>) -> Int {
        g_utf8_find_next_char(text + offset, nil).map { UnsafePointer($0) - text } ?? offset + 1
    }

    package func caret(at position: DisplayedPosition) -> CaretLine {
        var strong = PangoRectangle()
        pango_layout_get_cursor_pos(layout, valid(position), &strong, nil)
        let box = Self.box(strong)
        return CaretLine(top: TextPoint(x: box.x, y: box.y), height: box.height)
    }

    package func hit(at point: TextPoint) -> TextHit {
        var (index, trailing): (Int32, Int32) = (0, 0)
        let (x, y) = (pango_units_from_double(point.x), pango_units_from_double(point.y))
        pango_layout_xy_to_index(layout, x, y, &index, &trailing)
        return TextHit(
            caret: DisplayedPosition(advanced(index, by: trailing)),
            character: DisplayedPosition(Int(index))
        )
    }

    /// Returns the byte offset after a number of Unicode scalars from `index`.
    private func advanced(_ index: Int32, by scalars: Int32) -> Int {
        guard let text else { return 0 }
        var offset = Int(index)
        for _ in 0..<scalars where offset < length { offset = Self.next(offset, in: text) }
        return offset
    }

    package func line(containing position: DisplayedPosition) -> ClosedRange<DisplayedPosition> {
        let bounds = bounds(ofLine: index(ofLineAt: Int(valid(position))))
        return DisplayedPosition(bounds.lowerBound)...DisplayedPosition(bounds.upperBound)
    }

    /// Returns the first and the last caret position of a line.
    private func bounds(ofLine index: Int) -> ClosedRange<Int> {
        guard let line = pango_layout_get_line_readonly(layout, Int32(index))?.pointee else { return 0...0 }
        let (start, end) = (Int(line.start_index), Int(line.start_index + line.length))
        let next = pango_layout_get_line_readonly(layout, Int32(index + 1))?.pointee
        // A wrapped line continues without a line break; its end is the start of the next one.
        guard let next, Int(next.start_index) == end else { return start...end }
        return start...(caretPositions.last { $0 >= start && $0 < end } ?? start)
    }

    package func position(
        lines count: Int,
        below position: DisplayedPosition,
        x: Double
    ) -> DisplayedPosition? {
        let target = index(ofLineAt: Int(valid(position))) + count
        guard target >= 0, target < lineCount,
            let line = pango_layout_get_line_readonly(layout, Int32(target))
        else { return nil }
        var (index, trailing): (Int32, Int32) = (0, 0)
        var offset = 0.0
        var number = 0
        forEachLine { _, box in
            if number == target { offset = box.x }
            number += 1
        }
        pango_layout_line_x_to_index(line, pango_units_from_double(x - offset), &index, &trailing)
        let bounds = bounds(ofLine: target)
        return DisplayedPosition(
            min(max(advanced(index, by: trailing), bounds.lowerBound), bounds.upperBound)
        )
    }

    package func position(
        beside position: DisplayedPosition,
        _ direction: VisualDirection
    ) -> DisplayedPosition? {
        var (index, trailing): (Int32, Int32) = (0, 0)
        pango_layout_move_cursor_visually(
            layout,
            1,
            valid(position),
            0,
            direction == .right ? 1 : -1,
            &index,
            &trailing
        )
        guard index >= 0, index != Int32.max else { return nil }
        return DisplayedPosition(advanced(index, by: trailing))
    }
}
