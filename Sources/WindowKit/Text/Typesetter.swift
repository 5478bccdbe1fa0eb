internal import CPango

/// A typesetter that lays out text with Pango: shaping, bidirectional text, line breaks, and fallback fonts.
///
/// Used on one thread. Fonts are loaded when the first text is laid out.
package final class Typesetter {
    private let context: OpaquePointer
    private var descriptions: [TextFont: OpaquePointer] = [:]

    package init() {
        let map = pango_cairo_font_map_new()
        context = pango_font_map_create_context(map)!  // Pango never returns null here.
        g_object_unref(UnsafeMutableRawPointer(map))
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
    }

    deinit {
        for description in descriptions.values { pango_font_description_free(description) }
        g_object_unref(UnsafeMutableRawPointer(context))
    }

    /// Lays out a paragraph.
    package func layout(_ paragraph: TextParagraph) -> LaidOutText {
        let layout = pango_layout_new(context)!  // Pango never returns null here.
        var text = paragraph.text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                pango_layout_set_text(layout, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
        pango_layout_set_font_description(layout, description(of: paragraph.font))
        if let width = paragraph.width {
            pango_layout_set_width(layout, Int32(clamping: width) &* PANGO_SCALE)
        }
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        if let lines = paragraph.maximumLines {
            pango_layout_set_height(layout, -Int32(clamping: max(1, lines)))
            pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
            pango_layout_set_single_paragraph_mode(layout, lines == 1 ? 1 : 0)
        }
        let alignment =
            switch paragraph.alignment {
            case .leading: PANGO_ALIGN_LEFT
            case .center: PANGO_ALIGN_CENTER
            case .trailing: PANGO_ALIGN_RIGHT
            }
        pango_layout_set_alignment(layout, alignment)
        if let height = paragraph.lineHeight {
            let attributes = pango_attr_list_new()
            pango_attr_list_insert(
                attributes,
                pango_attr_line_height_new_absolute(pango_units_from_double(height))
            )
            pango_layout_set_attributes(layout, attributes)
            pango_attr_list_unref(attributes)
        }
        return LaidOutText(taking: layout)
    }

    /// Returns the family that is used for a text in `family`: this one if it is installed, else a similar one.
    ///
    /// - Returns: nil if no font is installed.
    package func usedFamily(for family: String) -> String? {
        let description = description(of: TextFont(family, pixels: 16))
        guard let font = pango_context_load_font(context, description) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(font)) }
        let found = pango_font_describe(font)
        defer { pango_font_description_free(found) }
        return pango_font_description_get_family(found).map { String(cString: $0) }
    }

    private func description(of font: TextFont) -> OpaquePointer? {
        if let description = descriptions[font] { return description }
        let description = pango_font_description_new()
        pango_font_description_set_family(description, font.family)
        let weight =
            switch font.weight {
            case .regular: PANGO_WEIGHT_NORMAL
            case .medium: PANGO_WEIGHT_MEDIUM
            case .bold: PANGO_WEIGHT_BOLD
            }
        pango_font_description_set_weight(description, weight)
        pango_font_description_set_absolute_size(description, font.pixels * Double(PANGO_SCALE))
        descriptions[font] = description
        return description
    }
}
