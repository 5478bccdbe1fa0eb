/// The colors of the user interface.
package struct Theme: Hashable, Sendable {
    /// The background of the window.
    package let ground: Color
    /// The background of cards and sheets.
    package let surface: Color
    /// The background of text fields, menus and segmented controls.
    package let field: Color
    /// The background of the selected segment of a segmented control.
    let raised: Color
    package let outline: Color
    /// The border of text fields, menus and segmented controls.
    let edge: Color
    package let text: Color
    /// The color of secondary text.
    package let faint: Color
    package let brand: Color
    let onBrand: Color
    /// The variant of the brand color for text.
    package let link: Color
    package let danger: Color
    let onDanger: Color
    package let dangerInk: Color
    package let goodInk: Color
    package let warningInk: Color
    /// The color mixed into a control under the pointer, to make it lighter or darker.
    package let highlight: Color
    package let shadow: Color
    package let scrim: Color

    /// The color below selected text.
    var selection: Color {
        var color = brand
        color.alpha = 90
        return color
    }

    package static let light = Theme(
        ground: Color(0xF3F5F9),
        surface: Color(0xFFFFFF),
        field: Color(0xF3F5F9),
        raised: Color(0xFFFFFF),
        outline: Color(0xD3D9E4),
        edge: Color(0x7B8699),
        text: Color(0x151A23),
        faint: Color(0x586174),
        brand: Color(0x2563EB),
        onBrand: Color(0xFFFFFF),
        link: Color(0x1D56D8),
        danger: Color(0xD3262F),
        onDanger: Color(0xFFFFFF),
        dangerInk: Color(0xC01F28),
        goodInk: Color(0x127A3A),
        warningInk: Color(0x8A5A00),
        highlight: Color(0x0B1B3A),
        shadow: Color(0x1B2A4A, alpha: 40),
        scrim: Color(0x0B1020, alpha: 120)
    )

    package static let dark = Theme(
        ground: Color(0x0E1117),
        surface: Color(0x171C25),
        field: Color(0x1F2632),
        raised: Color(0x364154),
        outline: Color(0x343E50),
        edge: Color(0x748097),
        text: Color(0xEDF0F6),
        faint: Color(0xA3ADBF),
        brand: Color(0x2F6BEA),
        onBrand: Color(0xFFFFFF),
        link: Color(0x86AEFF),
        danger: Color(0xD6303A),
        onDanger: Color(0xFFFFFF),
        dangerInk: Color(0xFF8F94),
        goodInk: Color(0x5FD38A),
        warningInk: Color(0xF2C063),
        highlight: Color(0xFFFFFF),
        shadow: Color(0x000000, alpha: 110),
        scrim: Color(0x000000, alpha: 150)
    )
}
