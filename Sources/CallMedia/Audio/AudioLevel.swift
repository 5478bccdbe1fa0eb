internal import Glibc

/// How loud a stretch of sound is: its root mean square.
struct AudioLevel: Hashable, Sendable {
    /// What nothing at all measures, in dBov (RFC 6464 §3).
    static let silence = -127.0

    private var sum = 0.0
    private(set) var count = 0

    /// Adds 16-bit samples in the machine's byte order; of channels that lie side by side, all count.
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

    /// In dBov, −127…0, to a tenth: 0 is a square wave at full scale; nil where nothing was added.
    var decibels: Double? {
        guard count > 0 else { return nil }
        let power = sum / Double(count) / (32768 * 32768)
        guard power > 0 else { return Self.silence }
        return max(Self.silence, (100 * log10(power)).rounded() / 10)
    }
}
