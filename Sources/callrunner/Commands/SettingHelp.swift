internal import ArgumentParser

extension ArgumentHelp {
    /// A flag's help: what it does, and what holds without it.
    init(_ text: String, _ setting: Setting, _ valueName: String, otherwise: String? = nil) {
        let fallback = otherwise ?? setting.defaultText
        self.init(fallback.map { "\(text) (default: \($0))." } ?? "\(text).", valueName: valueName)
    }
}
