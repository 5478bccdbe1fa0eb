internal import FoundationEssentials

/// The fonts found on this machine, read into memory.
struct FontFiles: Sendable {
    let regular: Data?
    let medium: Data?
    /// What a person should know of it; nil where all is as it should be.
    let warning: String?
    /// What they call themselves; nil for none.
    var family: String?

    /// Where distributions put their fonts.
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

    /// Roboto, else DejaVu Sans, else none, in which case ImGui's own has to do.
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
            // Of a font everything up to its first tables is there, else the file is none.
            if let data = FileManager.default.contents(atPath: "\(folder)/\(name)"), isFont(data) {
                return data
            }
        }
        return nil
    }

    /// Whether it begins as fonts of TrueType or OpenType do.
    private static func isFont(_ data: Data) -> Bool {
        data.count > 1000
            && [[0, 1, 0, 0], Array("OTTO".utf8), Array("true".utf8)].contains(Array(data.prefix(4)))
    }
}
