internal import FoundationEssentials

/// The user's own folders, as defined by user-dirs.dirs(5).
struct UserFolders: Hashable {
    enum Kind: String {
        case videos, pictures, documents
        case downloads = "download"

        /// The usual name of the folder.
        var folder: String { self == .downloads ? "Downloads" : rawValue.capitalized }
    }

    private let environment: [String: String]
    private let home: String
    /// The maximum size of `user-dirs.dirs` in bytes.
    private static let maximumBytes = 65_536

    init(environment: [String: String]) {
        self.environment = environment
        home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "."
    }

    /// Finds the user's folder for videos, pictures, documents or downloads.
    ///
    /// The result is the first of these folders that exists: the folder in the environment variable (such as
    /// `XDG_VIDEOS_DIR`), the folder in `user-dirs.dirs`, and `~/Videos`, `~/Pictures`, `~/Documents` or `~/Downloads`.
    /// If none exists, it is the home folder, or the current folder if `HOME` is not an absolute path.
    func path(_ kind: Kind) -> String {
        let usual = "\(home)/\(kind.folder)"
        let fromEnvironment = environment[Self.variable(kind)].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return [fromEnvironment, named(kind), usual].compactMap(\.self).first(where: Self.isFolder) ?? home
    }

    private func named(_ kind: Kind) -> String? {
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
        guard let contents = FileManager.default.contents(atPath: "\(folder)/user-dirs.dirs"),
            contents.count <= Self.maximumBytes
        else { return nil }
        return Self.path(Self.variable(kind), in: String(decoding: contents, as: UTF8.self), home)
    }

    private static func variable(_ kind: Kind) -> String { "XDG_\(kind.rawValue.uppercased())_DIR" }

    /// Returns the folder that the text of `user-dirs.dirs` assigns to `name`, below `$HOME` or as an
    /// absolute path; nil if there is none.
    static func path(_ name: String, in text: String, _ home: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline).reversed() {
            let line = line.drop(while: \.isWhitespace)
            guard line.hasPrefix("\(name)=\""), let value = unquoted(line.dropFirst(name.count + 2)) else {
                continue
            }
            if value == "$HOME" || value.hasPrefix("$HOME/") { return home + value.dropFirst(5) }
            return value.hasPrefix("/") ? value : nil
        }
        return nil
    }

    /// Returns the text up to the closing quote, with escapes resolved and without a slash at the end; nil if
    /// there is no closing quote.
    private static func unquoted(_ text: Substring) -> String? {
        var value = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                value.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return value.count > 1 && value.hasSuffix("/") ? String(value.dropLast()) : value
            } else {
                value.append(character)
            }
        }
        return nil
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }
}
