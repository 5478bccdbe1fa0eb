/// The header of a message in a pipe of samples, which precedes the bytes of a sample or the text of a format.
///
/// Both ends are the same program on the same computer, so the header has their native byte order.
struct SampleMessage: BitwiseCopyable {
    /// The index of the stream among the media types of the `SampleReader`, from 0.
    var stream: UInt32
    /// 1 if the message contains the format of the following samples, and 0 if it contains a sample.
    var isFormat: UInt32
    var flags: UInt32
    var size: UInt32
    /// The presentation time on the computer's clock, in nanoseconds; like the two values below, `none` if unknown.
    var presentationTime = Self.none
    var decodeTime = Self.none
    var duration = Self.none

    static let none = UInt64.max
}
