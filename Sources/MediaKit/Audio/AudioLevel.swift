internal import Glibc

/// The root mean square level of a sequence of audio samples.
package struct AudioLevel: Hashable, Sendable {
    /// The level of digital silence in dBov (RFC 6464 §3).
    package static let silence = -127.0

    private var sum = 0.0
    private(set) var count = 0

    /// Adds interleaved 16-bit samples of all channels, in native byte order.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        let length = bytes.count / 2
        var squares = 0.0
        for index in 0..<length {
            let sample = Double(bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))
            squares += sample * sample
        }
        sum += squares
        count += length
    }

    /// The level in dBov, −127…0, rounded to a tenth; nil if no samples were added.
    ///
    /// A full-scale square wave has level 0.
    var decibels: Double? {
        guard count > 0 else { return nil }
        let power = sum / Double(count) / (32768 * 32768)
        guard power > 0 else { return Self.silence }
        return max(Self.silence, (100 * log10(power)).rounded() / 10)
    }
}
