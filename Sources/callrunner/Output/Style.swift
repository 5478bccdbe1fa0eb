/// The style of a line on a terminal.
enum Style {
    case plain, dim, good, failure, emphasis

    func apply(to text: String, enabled: Bool) -> String {
        guard enabled, let code else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    private var code: String? {
        switch self {
        case .plain: nil
        case .dim: "2"
        case .good: "32"
        case .failure: "31"
        case .emphasis: "1"
        }
    }
}
