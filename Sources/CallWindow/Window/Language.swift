package import AppFlow
internal import WindowKit

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

extension Strings {
    /// Reads the texts of a language from its JSON file in the folder.
    init(_ language: AppSettings.Language, folder: String) {
        self.init(language: language.rawValue, folder: folder)
    }
}
