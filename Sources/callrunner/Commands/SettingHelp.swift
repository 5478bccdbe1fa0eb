internal import ArgumentParser

extension ArgumentHelp {
    /// Creates the help of a flag from a description and a default value, which is `otherwise` or, if nil, that of the
    /// setting.
    init(_ text: String, _ setting: Setting, _ valueName: String, otherwise: String? = nil) {
        let fallback = otherwise ?? setting.defaultText
        self.init(fallback.map { "\(text) (default: \($0))." } ?? "\(text).", valueName: valueName)
    }
}
