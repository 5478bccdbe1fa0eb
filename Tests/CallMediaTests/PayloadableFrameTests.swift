import Testing

@testable import MediaKit

@Suite("Frames that payloaders can send")
struct PayloadableFrameTests {
    private static let keyframeVP8: [UInt8] = [0x50, 0x01, 0x00, 0x9D, 0x01, 0x2A, 64, 0, 64, 0] + rest
    private static let rest = [UInt8](repeating: 7, count: 40)

    @Test(
        "Usual frames are accepted",
        arguments: [
            (Codec.h264, [0, 0, 0, 1, 0x67, 0x42, 0, 0, 1, 0x65, 0x88]),
            (.h264, [0, 0, 1, 9, 0, 0, 0, 1, 0x41, 0x9A]),
            (.vp8, keyframeVP8), (.vp8, [0x31, 0, 0] + rest), (.vp9, [0x82, 0x49, 0x83, 0x42] + rest),
            (.vp9, [0x86, 0, 0] + rest), (.opus, [0xFC]), (.pcmu, [0]), (.pcma, [0]),
        ] as [(Codec, [UInt8])]
    )
    func usual(_ codec: Codec, _ frame: [UInt8]) {
        let isAccepted = frame.withUnsafeBytes { PayloadableFrame.accepts($0, codec) }
        #expect(isAccepted)
    }

    @Test(
        "Frames that a payloader cannot send are refused",
        arguments: [
            // Two start codes without a unit between them.
            (Codec.h264, [0, 0, 1, 0x65, 0x88, 0, 0, 1, 0, 0, 1, 0x41]),
            (.h264, [0, 0, 1, 0, 0, 1, 0x41, 0x9A]),
            // No start code at the beginning, and almost nothing after the last one.
            (.h264, []), (.h264, [0x65, 0x88, 0, 0, 1, 0x41, 0x9A]), (.h264, [0, 0, 1, 0x65, 0x88, 0, 0, 1]),
            (.h264, [0, 0, 0, 0, 1, 0x65, 0x88]), (.h264, [0, 0, 1, 0x65, 0x88, 0, 0, 1, 9]),
            // Too short, an unknown version, a first partition beyond the end, and a keyframe without its start code.
            (.vp8, []), (.vp8, [0x31, 0]), (.vp8, [0x09, 0, 0] + rest), (.vp8, [0xF1, 0xFF, 0xFF] + rest),
            (.vp8, [0x50, 0x01, 0x00, 0x9D, 0x01, 0x2B, 64, 0, 64, 0] + rest),
            (.vp8, [0x10, 0, 0, 0x9D, 1, 0x2A]),
            // Too short, no marker, another profile, an earlier frame shown again, and a keyframe without its sync code.
            (.vp9, [0x86, 0]), (.vp9, [0x06, 0, 0]), (.vp9, [0xA6, 0, 0] + rest),
            (.vp9, [0x88, 0, 0] + rest),
            (.vp9, [0x82, 0x49, 0x83, 0x43] + rest), (.vp9, [0x82, 0x49, 0x83, 0x42]), (.opus, []),
        ] as [(Codec, [UInt8])]
    )
    func unusual(_ codec: Codec, _ frame: [UInt8]) {
        let isAccepted = frame.withUnsafeBytes { PayloadableFrame.accepts($0, codec) }
        #expect(!isAccepted)
    }
}
