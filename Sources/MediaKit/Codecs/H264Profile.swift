/// The H.264 profiles that peers negotiate, encoded in `profile-level-id` (RFC 6184 §8.1).
package enum H264Profile: Codable, Hashable, Sendable, CaseIterable {
    case constrainedBaseline, baseline, main, constrainedHigh, high

    /// Parses the `profile` field of `video/x-h264`; nil if the profile is unsupported.
    package init?(gstreamerName: String) {
        switch gstreamerName {
        case "constrained-baseline": self = .constrainedBaseline
        case "baseline": self = .baseline
        case "main": self = .main
        case "constrained-high": self = .constrainedHigh
        case "high": self = .high
        default: return nil
        }
    }

    /// Parses the profile in six hexadecimal digits of `profile-level-id`; nil if it is unsupported.
    package init?(profileLevelID: String) {
        guard let (profile, constraints, _) = ProfileLevelID.bytes(of: profileLevelID) else { return nil }
        let isSet1 = constraints & 0x40 != 0
        switch profile {
        case 0x42: self = isSet1 ? .constrainedBaseline : .baseline
        case 0x4d: self = constraints & 0x80 != 0 ? .constrainedBaseline : .main
        case 0x64: self = constraints & 0x0c == 0x0c ? .constrainedHigh : .high
        default: return nil
        }
    }

    /// The first four digits of the `profile-level-id`.
    package var prefix: String {
        switch self {
        case .constrainedBaseline: "42e0"
        case .baseline: "4200"
        case .main: "4d00"
        case .constrainedHigh: "640c"
        case .high: "6400"
        }
    }

    /// Returns the `profile-level-id` of this profile at a level.
    ///
    /// In all profiles except the high ones, level 1b is signaled by a constraint flag.
    ///
    /// - Parameter level: the level.
    /// - Returns: six hexadecimal digits.
    package func identifier(_ level: H264Level) -> String {
        let isHigh = self == .high || self == .constrainedHigh
        guard level == .level1b, !isHigh else {
            let number = String(level.rawValue, radix: 16)
            return prefix + (number.count == 1 ? "0" : "") + number
        }
        let constraints = (UInt8(prefix.suffix(2), radix: 16) ?? 0) | 0x10
        let text = String(constraints, radix: 16)
        return "\(prefix.prefix(2))\(text.count == 1 ? "0" : "")\(text)0b"
    }

    /// Returns whether a decoder of this profile also decodes `other`.
    package func decodes(_ other: H264Profile) -> Bool {
        switch (self, other) {
        case (_, .constrainedBaseline): true
        case (.high, .main), (.high, .constrainedHigh): true
        default: self == other
        }
    }
}
