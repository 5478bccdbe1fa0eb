/// The description of the samples of an audio track in an MP4 or QuickTime file.
struct SoundDescription {
    /// The maximum number of bytes that are read; the usual description is shorter than a kilobyte.
    static let maximumLength: UInt64 = 16_384

    /// The formats whose samples are single PCM samples, or so short that files group them in chunks.
    private static let grouped: Set<String> = [
        "raw ", "NONE", "twos", "sowt", "fl32", "fl64", "in24", "in32", "s16l", "lpcm", "ulaw", "alaw",
        "ipcm",
        "fpcm", "ima4", "MAC3", "MAC6", "agsm", ".mp2", ".mp3", "ms\0\u{2}", "ms\0\u{11}", "ms\0\u{17}",
        "ms\0\u{55}",
    ]
    /// The formats in `grouped` that qtdemux outputs as raw audio.
    private static let raw: Set<String> = [
        "raw ", "NONE", "twos", "sowt", "fl32", "fl64", "in24", "in32", "s16l", "lpcm",
    ]

    private let format: String
    private let version: UInt64
    private let compression: UInt64
    /// The numbers of channels and of bits per sample, valid only in version 2 of the sound description.
    private let channels, bits: UInt64
    /// Whether the entry contains an MPEG-4 descriptor (`esds`), with which qtdemux treats the format differently.
    private let hasStreamDescription: Bool

    /// Parses the sample entry at the start of `bytes`; nil if it is incomplete or too long.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let box = MP4Box(bytes), box.head == 8, box.size >= 36, box.size <= UInt64(bytes.count),
            let version = bytes.number(at: 16, size: 4), let compression = bytes.number(at: 28, size: 2)
        else { return nil }
        let entry = bytes.prefix(Int(box.size))
        format = box.name
        self.version = version
        self.compression = compression
        channels = entry.number(at: 48, size: 4) ?? 0
        bits = entry.number(at: 56, size: 4) ?? 0
        hasStreamDescription = entry.firstRange(of: Array("esds".utf8)) != nil
    }

    /// Returns whether qtdemux allocates memory for each chunk instead of each sample, provided that all samples have
    /// the same size.
    ///
    /// - Parameter isUniform: Whether all samples have the same duration, and neither time offsets nor sync flags.
    /// - Returns: Whether memory is allocated for each chunk.
    func isReadByChunks(uniform isUniform: Bool) -> Bool {
        guard !hasStreamDescription, Self.grouped.contains(format) else { return false }
        // A compression ID of -2 means that samples are read one by one, but qtdemux 1.22 merges those of raw audio.
        guard compression == 0xFFFE else { return true }
        return isUniform && Self.raw.contains(format) && version == 0x20000 && (1...255).contains(channels)
            && (8...64).contains(bits)
    }
}
