internal import FoundationEssentials

/// The texts of a window in one language, by key.
package struct Strings: Hashable, Sendable {
    /// The language code, such as `en`.
    package let language: String
    private let texts: [String: String]

    /// Reads the language's JSON file in the folder; a missing text is replaced by its key.
    package init(language: String, folder: String) {
        self.language = language
        let data = FileManager.default.contents(atPath: "\(folder)/\(language).json")
        texts = data.flatMap { try? JSONDecoder().decode([String: String].self, from: $0) } ?? [:]
    }

    /// Whether the file was missing or invalid.
    package var isEmpty: Bool { texts.isEmpty }

    package var keys: Set<String> { Set(texts.keys) }

    package subscript(_ key: String) -> String { texts[key] ?? key }

    /// Looks up a text and replaces each `{name}` in it by the value for that name.
    package func callAsFunction(_ key: String, _ values: KeyValuePairs<String, String>) -> String {
        values.reduce(self[key]) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    package func has(_ key: String) -> Bool { texts[key] != nil }
}
