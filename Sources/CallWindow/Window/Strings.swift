package import CallFlow
internal import FoundationEssentials

/// The texts of the window in the user's language, by key, from `assets/strings`.
package struct Strings: Hashable, Sendable {
    package let language: AppSettings.Language
    private let texts: [String: String]

    /// Reads the language's JSON file in the folder; a missing text is replaced by its key.
    package init(_ language: AppSettings.Language, folder: String) {
        self.language = language
        let data = FileManager.default.contents(atPath: "\(folder)/\(language.rawValue).json")
        texts = data.flatMap { try? JSONDecoder().decode([String: String].self, from: $0) } ?? [:]
    }

    /// Whether the file was missing or invalid.
    package var isEmpty: Bool { texts.isEmpty }

    var keys: Set<String> { Set(texts.keys) }

    package subscript(_ key: String) -> String { texts[key] ?? key }

    /// Looks up a text and replaces each `{name}` in it by the value for that name.
    package func callAsFunction(_ key: String, _ values: KeyValuePairs<String, String>) -> String {
        values.reduce(self[key]) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    func has(_ key: String) -> Bool { texts[key] != nil }
}

extension AppSettings.Language {
    /// The name of the language, in the language itself.
    var name: String {
        switch self {
        case .english: "English"
        case .ukrainian: "Українська"
        case .russian: "Русский"
        }
    }

    /// Selects the language by the first non-empty variable of `LC_ALL`, `LC_MESSAGES` and `LANG`; English by
    /// default.
    package init(environment: [String: String]) {
        let values = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        let code = values.first { !$0.isEmpty }?.prefix { $0.isLetter }.lowercased()
        self = code.flatMap(AppSettings.Language.init) ?? .english
    }
}
