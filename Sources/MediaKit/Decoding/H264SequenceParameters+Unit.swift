internal import Basics

extension H264SequenceParameters {
    /// Parses a NAL unit of which at most `maximum` bytes are read; nil if it is invalid, or ambiguous.
    ///
    /// If libav cannot parse a unit without its emulation prevention bytes, it parses the unit with them, so both
    /// results must be equal. Encoders write such bytes only after the frame size.
    init?(_ unit: Slice<UnsafeRawBufferPointer>, maximum: Int) {
        self.init(H264Unit.payload(of: unit, maximum: maximum))
        guard self == Self(Array(unit.dropFirst().prefix(maximum))) else { return nil }
    }
}
