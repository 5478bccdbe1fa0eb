internal import Basics

/// The configuration of an AAC stream whose frames have no header (ISO/IEC 14496-3 §1.6.2.1).
struct AACConfiguration: Hashable {
    /// The `AudioSpecificConfig`.
    let record: [UInt8]
    /// The object type minus one; 1 for AAC-LC.
    private let profile: UInt8
    /// The index of the sample rate in the table of the specification.
    private let rateIndex: UInt8
    /// The channel configuration; 2 for stereo.
    private let channels: UInt8

    private static let rates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
    ]
    private static let headerLength = 7
    /// The maximum length of the record in bytes.
    private static let longestRecord = 64
    /// The maximum length of a frame with its header, which has 13 bits.
    private static let maximumLength = 0x1FFF

    /// Parses an `AudioSpecificConfig`; nil if it is invalid, or cannot be expressed by the headers of a transport
    /// stream.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count <= Self.longestRecord else { return nil }
        var reader = BitReader(bytes)
        guard let type = reader.objectType(), let rate = reader.bits(4), rate < Self.rates.count,
            let channels = reader.bits(4), 1...7 ~= channels
        else { return nil }
        var core = type
        // Spectral band replication and parametric stereo extend a core stream, which the header describes.
        if type == 5 || type == 29 {
            guard let extended = reader.bits(4), extended != 15 || reader.bits(24) != nil,
                let inner = reader.objectType()
            else { return nil }
            core = inner
        }
        // Frames of 960 samples cannot be expressed either.
        guard 1...4 ~= core, reader.flag() != true else { return nil }
        (profile, rateIndex, self.channels) = (UInt8(core - 1), UInt8(rate), UInt8(channels))
        record = Array(bytes)
    }

    var channelCount: Int { channels == 7 ? 8 : Int(channels) }

    /// The sample rate in hertz.
    var rate: Int { Self.rates[Int(rateIndex)] }

    /// The duration of a frame in milliseconds.
    var frameDuration: Double { 1024 * 1000 / Double(rate) }

    /// Appends a frame with an ADTS header; returns false if the frame is too long.
    func append(_ frame: ArraySlice<UInt8>, to output: inout [UInt8]) -> Bool {
        let length = frame.count + Self.headerLength
        guard length <= Self.maximumLength else { return false }
        output += [
            0xFF, 0xF1,
            profile << 6 | rateIndex << 2 | channels >> 2,
            channels << 6 | UInt8(length >> 11),
            UInt8(truncatingIfNeeded: length >> 3),
            UInt8(truncatingIfNeeded: length << 5) | 0x1F,
            0xFC,
        ]
        output += frame
        return true
    }
}

extension BitReader {
    /// Reads an audio object type (ISO/IEC 14496-3 §1.6.2.1); nil at the end.
    fileprivate mutating func objectType() -> Int? {
        guard let type = bits(5) else { return nil }
        return type == 31 ? bits(6).map { $0 + 32 } : type
    }
}
