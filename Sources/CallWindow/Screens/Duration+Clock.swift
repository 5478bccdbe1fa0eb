extension Duration {
    /// The duration in whole seconds as on a clock, such as `01:23` or `1:02:03`.
    var clock: String {
        let seconds = components.seconds
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        return seconds >= 3600 ? "\(seconds / 3600):\(minutes)" : minutes
    }
}
