internal import ArgumentParser

extension ArgumentHelp {
    /// Creates a flag's help from its purpose and the value that applies without it.
    init(_ text: String, _ setting: Setting, _ valueName: String, otherwise: String? = nil) {
        let fallback = otherwise ?? setting.defaultText
        self.init(fallback.map { "\(text) (default: \($0))." } ?? "\(text).", valueName: valueName)
    }
}
