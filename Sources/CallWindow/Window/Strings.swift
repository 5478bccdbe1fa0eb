package import CallFlow
internal import FoundationEssentials

/// What the window says, in the user's language: texts by their keys, from `assets/strings`.
package struct Strings: Hashable, Sendable {
    package let language: AppSettings.Language
    private let texts: [String: String]

    /// Reads the language's file in the folder; what is missing is said by its key.
    package init(_ language: AppSettings.Language, folder: String) {
        self.language = language
        let data = FileManager.default.contents(atPath: "\(folder)/\(language.rawValue).json")
        texts = data.flatMap { try? JSONDecoder().decode([String: String].self, from: $0) } ?? [:]
    }

    /// Whether the file was not there, or not such a file.
    package var isEmpty: Bool { texts.isEmpty }

    var keys: Set<String> { Set(texts.keys) }

    package subscript(_ key: String) -> String { texts[key] ?? key }

    /// The text with each `{name}` in it replaced.
    package func callAsFunction(_ key: String, _ values: KeyValuePairs<String, String>) -> String {
        values.reduce(self[key]) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    func has(_ key: String) -> Bool { texts[key] != nil }
}

extension AppSettings.Language {
    /// What the language calls itself.
    var name: String {
        switch self {
        case .english: "English"
        case .ukrainian: "Українська"
        case .russian: "Русский"
        }
    }

    /// The language that the environment asks for, by the first of its variables that says anything.
    package init(environment: [String: String]) {
        let values = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        let code = values.first { !$0.isEmpty }?.prefix { $0.isLetter }.lowercased()
        self = code.flatMap(AppSettings.Language.init) ?? .english
    }
}
