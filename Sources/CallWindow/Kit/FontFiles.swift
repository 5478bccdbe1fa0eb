internal import FoundationEssentials

/// The installed fonts that were found, loaded into memory.
struct FontFiles: Sendable {
    let regular: Data?
    let medium: Data?
    /// A warning for the user; nil if a font was found.
    let warning: String?
    /// The name of the font family; nil if none was found.
    var family: String?

    /// The folders in which distributions install fonts.
    static let folders: [String] = [
        "/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF", "/usr/share/fonts/truetype/roboto/hinted",
        "/usr/share/fonts/truetype/roboto", "/usr/share/fonts/google-roboto", "/usr/share/fonts/roboto",
        "/usr/share/fonts/TTF", "/usr/local/share/fonts", "/usr/share/fonts/truetype/dejavu",
        "/usr/share/fonts/dejavu-sans-fonts", "/usr/share/fonts/dejavu",
    ]

    private static let families = [
        (name: "Roboto", regular: "Roboto-Regular.ttf", medium: "Roboto-Medium.ttf"),
        (name: "DejaVu Sans", regular: "DejaVuSans.ttf", medium: "DejaVuSans-Bold.ttf"),
    ]

    /// Finds Roboto, or else DejaVu Sans; if neither is installed, ImGui's built-in font is used.
    static func find(in folders: [String] = folders) -> FontFiles {
        for family in families {
            guard let regular = read(family.regular, in: folders) else { continue }
            let medium = read(family.medium, in: folders)
            return FontFiles(
                regular: regular,
                medium: medium ?? regular,
                warning: nil,
                family: family.name
            )
        }
        return FontFiles(
            regular: nil,
            medium: nil,
            warning: "no font found, so letters are coarse and Latin only: install fonts-roboto-unhinted"
        )
    }

    private static func read(_ name: String, in folders: [String]) -> Data? {
        for folder in folders {
            // A file that does not begin like a font is skipped.
            if let data = FileManager.default.contents(atPath: "\(folder)/\(name)"), isFont(data) {
                return data
            }
        }
        return nil
    }

    /// Checks whether the data begins like a TrueType or OpenType font.
    private static func isFont(_ data: Data) -> Bool {
        data.count > 1000
            && [[0, 1, 0, 0], Array("OTTO".utf8), Array("true".utf8)].contains(Array(data.prefix(4)))
    }
}
