/// The value of `--bitrate MIN:START:MAX` in bits per second.
///
/// Encoders begin at START and follow the network between MIN and MAX.
struct Bitrates: Hashable {
    /// The range of valid bit rates, in bits per second.
    static let range = 30_000...100_000_000

    let minimum: Int
    let start: Int
    let maximum: Int

    /// Parses the value of the flag.
    ///
    /// - Throws: `SettingText.Problem`.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(Self.bitsPerSecond)
        guard parts.count == 3, let minimum = parts[0], let start = parts[1], let maximum = parts[2] else {
            throw SettingText.Problem("“\(text)” is not MIN:START:MAX, as in 300k:1500k:4M")
        }
        guard minimum <= start, start <= maximum else {
            throw SettingText.Problem("“\(text)” must be in rising order: MIN, START, MAX")
        }
        guard Self.range.contains(minimum), Self.range.contains(maximum) else {
            throw SettingText.Problem("“\(text)” must be between 30k and 100M bits per second")
        }
        (self.minimum, self.start, self.maximum) = (minimum, start, maximum)
    }

    /// Parses a number of bits per second, in which `k` stands for a thousand and `M` for a million; nil if
    /// the text is not such a number.
    private static func bitsPerSecond(_ text: Substring) -> Int? {
        let factors: [Character: Int] = ["k": 1000, "K": 1000, "M": 1_000_000, "m": 1_000_000]
        let factor = text.last.flatMap { factors[$0] }
        let digits = factor == nil ? text : text.dropLast()
        let isDecimal = !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
        guard isDecimal, digits.count <= 10, let number = Int(digits) else { return nil }
        return number * (factor ?? 1)
    }
}
