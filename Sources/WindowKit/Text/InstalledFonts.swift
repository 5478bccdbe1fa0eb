internal import CPango

/// The fonts of this computer, as fontconfig finds them.
package enum InstalledFonts {
    /// Returns the family that is used for a text in `family`: this one if it is installed, else a similar one.
    ///
    /// - Returns: nil if no font is installed.
    package static func family(for family: String) -> String? {
        let map = pango_cairo_font_map_new()
        let context = pango_font_map_create_context(map)
        let description = pango_font_description_new()
        defer {
            pango_font_description_free(description)
            if let context { g_object_unref(UnsafeMutableRawPointer(context)) }
            g_object_unref(UnsafeMutableRawPointer(map))
        }
        pango_font_description_set_family(description, family)
        guard let font = pango_font_map_load_font(map, context, description) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(font)) }
        let found = pango_font_describe(font)
        defer { pango_font_description_free(found) }
        return pango_font_description_get_family(found).map { String(cString: $0) }
    }
}
