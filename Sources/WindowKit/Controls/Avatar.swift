/// The substitute for a person's video: initials on a colored disc.
enum Avatar {
    /// Returns the initials of the first two words in upper case.
    static func initials(of name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        return words.prefix(2).compactMap(\.first).map { $0.uppercased() }.joined()
    }

    /// Selects a color by the hash of the name; white text is legible on each of these colors.
    static func color(of name: String) -> Color {
        let number = ControlID(name).number
        return colors[Int((number ^ number >> 16) % UInt32(colors.count))]
    }

    static let colors: [Color] = [
        Color(0x2F6BEA), Color(0x0F766E), Color(0x7C3AED), Color(0xB4450F), Color(0xBE185D), Color(0x15803D),
        Color(0x4F5BD5), Color(0x0B7285), Color(0x9333A8), Color(0xA16207),
    ]
}
