extension Duration {
    /// The duration in whole seconds as on a clock, such as `01:23` or `1:02:03`.
    var clock: String {
        let seconds = components.seconds
        let minutes = "\((seconds / 60 % 60).twoDigits):\((seconds % 60).twoDigits)"
        return seconds >= 3600 ? "\(seconds / 3600):\(minutes)" : minutes
    }
}

extension BinaryInteger {
    /// The number with at least two digits, such as `07`.
    var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
