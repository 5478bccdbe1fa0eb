/// The H.264 profiles that peers negotiate, as RFC 6184 §8.1 writes them into `profile-level-id`.
package enum H264Profile: Hashable, Sendable, CaseIterable {
    case constrainedBaseline, baseline, main, constrainedHigh, high

    /// - Parameter gstreamerName: the `profile` field of `video/x-h264`.
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

    /// - Parameter profileLevelID: six hexadecimal digits; nil for a profile not listed here.
    package init?(profileLevelID: String) {
        // The count alone would let a sign through, and this goes into caps.
        guard profileLevelID.utf8.count == 6, profileLevelID.allSatisfy(\.isHexDigit),
            let value = UInt32(profileLevelID, radix: 16)
        else { return nil }
        let (profile, constraints) = (UInt8(value >> 16), UInt8(value >> 8 & 0xff))
        let isSet1 = constraints & 0x40 != 0
        switch profile {
        case 0x42: self = isSet1 ? .constrainedBaseline : .baseline
        case 0x4d: self = constraints & 0x80 != 0 ? .constrainedBaseline : .main
        case 0x64: self = constraints & 0x0c == 0x0c ? .constrainedHigh : .high
        default: return nil
        }
    }

    /// The first four digits of its `profile-level-id`.
    package var prefix: String {
        switch self {
        case .constrainedBaseline: "42e0"
        case .baseline: "4200"
        case .main: "4d00"
        case .constrainedHigh: "640c"
        case .high: "6400"
        }
    }

    /// Whether a decoder of this profile also decodes `other`.
    package func decodes(_ other: H264Profile) -> Bool {
        switch (self, other) {
        case (_, .constrainedBaseline): true
        case (.high, .main), (.high, .constrainedHigh): true
        default: self == other
        }
    }
}
