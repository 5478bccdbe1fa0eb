extension Unicode.Scalar {
    /// Whether the scalar is harmless in a file name on common file systems and in a terminal.
    package var isSafeInFileNames: Bool {
        switch self {
        case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": return false
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            return false
        default: return true
        }
    }
}
