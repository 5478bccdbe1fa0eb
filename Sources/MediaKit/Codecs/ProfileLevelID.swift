/// Parses the six hexadecimal digits of `profile-level-id` (RFC 6184 §8.1).
enum ProfileLevelID {
    /// Returns `profile_idc`, the constraint flags and `level_idc`; nil unless the text consists of six
    /// hexadecimal digits.
    static func bytes(of text: String) -> (profile: UInt8, constraints: UInt8, level: UInt8)? {
        // A check of the length alone would accept a sign, and this text is inserted into caps.
        guard text.utf8.count == 6, text.allSatisfy(\.isHexDigit), let value = UInt32(text, radix: 16)
        else { return nil }
        return (UInt8(value >> 16), UInt8(value >> 8 & 0xff), UInt8(value & 0xff))
    }
}

extension H264Level {
    /// Parses the level in six hexadecimal digits of `profile-level-id`; nil for anything else.
    package init?(profileLevelID: String) {
        guard let (profile, constraints, level) = ProfileLevelID.bytes(of: profileLevelID) else { return nil }
        let is1b = profile < 0x64 ? level == 11 && constraints & 0x10 != 0 : level == 9
        self = is1b ? .level1b : H264Level(number: Int(level))
    }
}
