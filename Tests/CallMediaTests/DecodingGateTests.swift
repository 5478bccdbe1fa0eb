import Basics
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Limits on the frame size of video to decode", .timeLimit(.minutes(4)))
struct DecodingGateTests {
    private static let limit = DecodingLimit(Resolution(width: 640, height: 480))
    private static let withheld = DecodingGate.Verdict.isWithheld(needsKeyframe: false)

    private static func judge(_ gate: inout DecodingGate, _ bytes: [UInt8], isKeyframe: Bool = true)
        -> DecodingGate.Verdict
    {
        bytes.withUnsafeBytes { gate.judge($0, isKeyframe: isKeyframe) }
    }

    @Test(
        "A frame is allowed if neither its longer side nor its pixel count exceeds the limit",
        arguments: [
            (4096, 2304, true), (2304, 4096, true), (3072, 3072, true), (3073, 3072, false),
            (4097, 16, false),
            (16, 4097, false), (8192, 8192, false), (0, 16, false), (1, 1, true),
        ]
    )
    func limits(_ width: Int, _ height: Int, _ isAllowed: Bool) {
        #expect(DecodingLimit.standard.allows(Resolution(width: width, height: height)) == isAllowed)
    }

    @Test("The limit is rounded up to whole macroblocks of H.264")
    func macroblocks() {
        let limit = DecodingLimit(Resolution(width: 1920, height: 1080))
        #expect(limit.allows(Resolution(width: 1920, height: 1088)))
        #expect(!limit.allows(Resolution(width: 1920, height: 1104)))
    }

    @Test("The frame size is recognized in the output of real encoders", arguments: [Codec.h264, .vp8, .vp9])
    func realFrames(_ codec: Codec) async throws {
        let samples = try await SampleMaker.videoSamples(codec, width: 322, height: 178, frames: 35)
        // The encoder of the test makes VP9 with 4:4:4.
        let accepts = codec == .vp9
        var open = DecodingGate(codec, limit: Self.limit, acceptsAllFormats: accepts)
        let small = DecodingLimit(Resolution(width: 320, height: 240))
        var closed = DecodingGate(codec, limit: small, acceptsAllFormats: accepts)
        for sample in samples {
            let bytes = try #require(sample.withBytes { Array($0) })
            #expect(sample.passing(Self.judge(&open, bytes, isKeyframe: sample.isKeyframe)) != nil)
            #expect(Self.judge(&closed, bytes, isKeyframe: sample.isKeyframe) == Self.withheld)
        }
        // H.264 frames are decoded in whole macroblocks.
        let size =
            codec == .h264 ? Resolution(width: 336, height: 192) : Resolution(width: 322, height: 178)
        #expect(samples.count == 35 && open.refused == nil && closed.refused == size)
    }

    @Test("After a frame that is too large, all frames up to a smaller keyframe are withheld")
    func order() {
        let vp8 = { (width: Int, height: Int) -> [UInt8] in
            [
                0x10, 0, 0, 0x9D, 1, 0x2A, UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255),
                UInt8(height >> 8),
            ]
        }
        var gate = DecodingGate(.vp8, limit: Self.limit)
        #expect(Self.judge(&gate, vp8(640, 480)) == .passes)
        #expect(Self.judge(&gate, [0x11, 0, 0]) == .passes)
        #expect(Self.judge(&gate, vp8(8192, 8192)) == Self.withheld)
        #expect(gate.refused == Resolution(width: 8192, height: 8192))
        #expect(Self.judge(&gate, [0x11, 0, 0]) == Self.withheld)
        // The two upper bits of a width or height are a scaling factor, which decoders ignore.
        #expect(Self.judge(&gate, vp8(640 | 0xC000, 480)) == .passes)
        #expect(gate.refused == nil)
        for broken in [
            [], [0x10], Array(vp8(16, 16).dropLast()), [0x10, 0, 0] + [UInt8](repeating: 0, count: 9),
        ] {
            #expect(Self.judge(&gate, broken) == Self.withheld)
            #expect(Self.judge(&gate, vp8(16, 16)) == .passes)
        }
    }

    // MARK: VP9

    @Test("The frame size is read from every form of VP9 header", arguments: 0...3)
    func vp9Sizes(_ profile: Int) {
        let size = Resolution(width: 8192, height: 4320)
        #expect(FrameSize.vp9(VP9Maker.keyframe(8192, 4320, profile: profile)) == .keyframe(size))
        #expect(FrameSize.vp9(VP9Maker.intraOnly(8192, 4320, profile: profile)) == .changed(size))
        #expect(FrameSize.vp9(VP9Maker.dependent(8192, 4320)) == .changed(size))
        for reference in 0...2 { #expect(FrameSize.vp9(VP9Maker.dependent(on: reference)) == .unchanged) }
        #expect(FrameSize.vp9(VP9Maker.repetition) == .unchanged)
        #expect(FrameSize.vp9([UInt8](repeating: 0, count: 40)) == .unreadable)
    }

    @Test("VP9 of profiles other than 0 is decoded only if all formats are accepted", arguments: 0...3)
    func vp9Profiles(_ profile: Int) {
        let frame = VP9Maker.superframe([VP9Maker.keyframe(640, 480, profile: profile)])
        var gate = DecodingGate(.vp9, limit: Self.limit)
        #expect(Self.judge(&gate, frame) == (profile == 0 ? .passes : Self.withheld))
        var open = DecodingGate(.vp9, limit: Self.limit, acceptsAllFormats: true)
        #expect(Self.judge(&open, frame) == .passes)
    }

    @Test("VP9 size changes without a keyframe are checked; once frames fit again, a keyframe is requested")
    func vp9Changes() {
        var gate = DecodingGate(.vp9, limit: Self.limit)
        let index = { DecodingGate.Verdict.passesWith(VP9Superframe.index(of: $0)) }
        let (small, large) = (VP9Maker.keyframe(640, 480), VP9Maker.dependent(1280, 960))
        #expect(Self.judge(&gate, small) == index(small.count))
        #expect(Self.judge(&gate, large) == Self.withheld)
        #expect(Self.judge(&gate, VP9Maker.dependent(on: 1)) == Self.withheld)
        #expect(Self.judge(&gate, VP9Maker.dependent(320, 240)) == .isWithheld(needsKeyframe: true))
        #expect(Self.judge(&gate, VP9Maker.keyframe(320, 240)) == index(small.count))
        #expect(Self.judge(&gate, VP9Maker.intraOnly(4096, 4096)) == Self.withheld)
    }

    @Test("Every frame of a VP9 superframe is checked, and an invalid superframe index is rejected")
    func superframes() {
        let (small, large) = (VP9Maker.keyframe(640, 480), VP9Maker.intraOnly(1280, 720))
        for (frames, passes) in [([small, small], true), ([small, large], false), ([large, small], false)] {
            var gate = DecodingGate(.vp9, limit: Self.limit)
            let verdict = Self.judge(&gate, VP9Maker.superframe(frames))
            #expect(verdict == (passes ? .passes : Self.withheld))
        }
        let whole = VP9Maker.superframe([small, small])
        for count in 1..<whole.count {
            var gate = DecodingGate(.vp9, limit: Self.limit)
            #expect(Self.judge(&gate, Array(whole.suffix(count))) == Self.withheld)
        }
        let own = VP9Superframe.index(of: 70_000)
        var buffer = [UInt8](repeating: 0, count: 70_000)
        buffer += own
        let frames = buffer.withUnsafeBytes { VP9Superframe($0)?.frames }
        #expect(frames == [0..<70_000])
    }

    // MARK: H.264

    @Test("The limit applies to the decoded size, not to the cropped one", arguments: [66, 100])
    func cropping(_ profile: Int) {
        var gate = DecodingGate(.h264, limit: Self.limit)
        let unit = H264Maker.sequence(0, 512, 512, profile: profile) + H264Maker.picture(0, of: 0)
        #expect(Self.judge(&gate, unit + H264Maker.slice(of: 0)) == Self.withheld)
        #expect(gate.refused == Resolution(width: 8192, height: 8192))
    }

    @Test(
        "H.264 with more than 8 bits per sample, 4:2:2 or 4:4:4 is decoded only if all formats are accepted",
        arguments: [
            ([1, 0, 0], true), ([0, 0, 0], true), ([2, 0, 0], false), ([3, 0, 0], false), ([1, 2, 0], false),
            ([1, 0, 2], false),
        ]
    )
    func formats(_ format: [Int], _ isCommon: Bool) {
        let unit =
            H264Maker.sequence(0, 40, 30, profile: 100, format: format) + H264Maker.picture(0, of: 0)
            + H264Maker.slice(of: 0)
        var gate = DecodingGate(.h264, limit: Self.limit)
        #expect(Self.judge(&gate, unit) == (isCommon ? .passes : Self.withheld))
        #expect(gate.refusesFormat != isCommon)
        var open = DecodingGate(.h264, limit: Self.limit, acceptsAllFormats: true)
        #expect(Self.judge(&open, unit) == .passes)
    }

    @Test("An SPS whose frame size depends on removing emulation prevention bytes is not decoded")
    func secondReading() {
        // 160×128 without them, 16240×16240 with them; libav tries both.
        let set: [UInt8] = [
            0, 0, 0, 1, 0x67, 0x4D, 0x00, 0x1F, 0xD4, 0x00, 0x00, 0x03, 0xAA, 0xAA, 0xA3, 0x84, 0x40, 0x0F,
            0xDC, 0x01, 0xFB, 0xE4, 0x41, 0x42, 0x36, 0xC8, 0x01,
        ]
        let unit = set.withUnsafeBytes { H264Unit.payload(of: $0[4...], maximum: 64) }
        #expect(H264SequenceParameters(unit)?.size == Resolution(width: 160, height: 128))
        let large = H264SequenceParameters(Array(set.dropFirst(5)))
        #expect(large?.size == Resolution(width: 16_240, height: 16_240))
        var gate = DecodingGate(.h264, limit: Self.limit)
        let frame = set + H264Maker.picture(0, of: 0) + H264Maker.slice(of: 0)
        #expect(Self.judge(&gate, frame) == Self.withheld)
    }

    @Test("SEI messages in H.264 frames are removed")
    func messages() {
        var gate = DecodingGate(.h264, limit: Self.limit)
        let sets = H264Maker.sequence(0, 40, 30) + H264Maker.picture(0, of: 0)
        let message: [UInt8] = [0, 0, 0, 1, 6, 5, 1, 7, 0x80]
        let slice = H264Maker.slice(of: 0)
        #expect(Self.judge(&gate, sets + message + slice) == .passesAs(sets + slice))
        #expect(Self.judge(&gate, message, isKeyframe: false) == Self.withheld)
    }

    @Test("An H.264 SPS with a frame size above the limit never reaches the decoder")
    func parameterSets() {
        var gate = DecodingGate(.h264, limit: Self.limit)
        let small = H264Maker.sequence(0, 40, 30) + H264Maker.picture(0, of: 0)
        let large = H264Maker.sequence(1, 512, 512)
        // An SPS above the limit to which no slice refers is removed.
        let slice = H264Maker.slice(of: 0)
        #expect(Self.judge(&gate, small + slice) == .passes)
        #expect(Self.judge(&gate, small + large + slice) == .passesAs(small + slice))
        // A slice that refers to this SPS closes the gate, even within the stream.
        #expect(Self.judge(&gate, H264Maker.picture(1, of: 1) + slice) == .passes)
        let later = H264Maker.slice(of: 1, isKeyframe: false)
        #expect(Self.judge(&gate, later, isKeyframe: false) == Self.withheld)
        #expect(
            Self.judge(&gate, H264Maker.slice(of: 0, isKeyframe: false), isKeyframe: false) == Self.withheld
        )
        // A keyframe with the small SPS opens the gate, although a parser repeats all old sets before it.
        #expect(Self.judge(&gate, small + large + slice) == .passesAs(small + slice))
        // An SPS with the same ID, but a size above the limit, closes the gate again.
        #expect(Self.judge(&gate, H264Maker.sequence(0, 512, 16) + slice) == Self.withheld)
    }

    @Test("A frame with many parameter sets is checked in linear time")
    func manyParameterSets() {
        var gate = DecodingGate(.h264, limit: Self.limit)
        let frame = H264Maker.sequence(0, 40, 30) + H264Maker.picture(0, of: 0) + H264Maker.slice(of: 0)
        let large = Array(repeating: H264Maker.sequence(1, 512, 512), count: 40_000).flatMap(\.self)
        var verdict: DecodingGate.Verdict?
        let duration = ContinuousClock().measure { verdict = Self.judge(&gate, large + frame) }
        #expect(verdict == .passesAs(frame))
        // This takes a second on a busy machine, and six with a sanitizer; a quadratic algorithm would take far longer.
        #expect(duration < .seconds(60))
    }

    @Test("An SPS that decoders may interpret differently is not passed to a decoder")
    func ambiguous() {
        let rest = H264Maker.picture(0, of: 0) + H264Maker.slice(of: 0)
        for sequence in [H264Maker.sequence(0, 40, 30, profile: 139), H264Maker.sequence(0, 200_000, 1)] {
            var gate = DecodingGate(.h264, limit: Self.limit)
            #expect(Self.judge(&gate, sequence + rest) == Self.withheld)
        }
        var gate = DecodingGate(.h264, limit: Self.limit)
        #expect(Self.judge(&gate, Array(H264Maker.sequence(0, 40, 30).prefix(9)) + rest) == Self.withheld)
    }

    @Test("NAL units are found at any position, with start codes of three or four bytes")
    func startCodes() {
        let bytes: [UInt8] = [9, 0, 0, 1, 0x67, 5, 0, 0, 0, 1, 0x68, 0, 0, 3, 1, 0, 0, 1, 0, 0, 1, 0x65]
        let ranges = bytes.withUnsafeBytes { H264Units.ranges(in: $0) }
        #expect(ranges == [4..<6, 10..<15, 21..<22])
        let payload = bytes.withUnsafeBytes { H264Unit.payload(of: $0[10..<15], maximum: 9) }
        #expect(payload == [0, 0, 1])
    }

    // MARK: Hostile input

    @Test(
        "Damaged frames cause no trap, and no SPS above the limit passes",
        arguments: [Codec.h264, .vp8, .vp9]
    )
    func damaged(_ codec: Codec) async throws {
        let samples = try await SampleMaker.videoSamples(codec, width: 160, height: 120, frames: 31)
        let frames = samples.compactMap { sample in sample.withBytes { Array($0.prefix(600)) } }
        var random = SeededGenerator(seed: 16)
        for round in 0..<20_000 {
            var gate = DecodingGate(codec, limit: Self.limit)
            var bytes =
                round % 10 == 0 ? [] : frames[round % 2 == 0 ? 0 : Int.random(in: 0..<31, using: &random)]
            for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(bytes.count, 60), using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            if round % 3 == 0 { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
            if round % 10 == 0 { bytes = (0..<50).map { _ in .random(in: 0...255, using: &random) } }
            let verdict = Self.judge(&gate, bytes)
            guard codec == .h264, verdict == .passes else { continue }
            let sets = bytes.withUnsafeBytes { buffer in
                H264Units.ranges(in: buffer).filter { buffer[$0.lowerBound] & 0x1F == 7 }
                    .map { H264SequenceParameters(H264Unit.payload(of: buffer[$0], maximum: 4096)) }
            }
            #expect(sets.allSatisfy { $0.map { Self.limit.allows($0.size) } ?? false })
        }
    }

    @Test("The resolution is read from H.264 parameter sets in byte streams, AVC samples and headers")
    func declaredSizes() throws {
        let sets = [H264Maker.sequence(0, 40, 30), H264Maker.sequence(1, 512, 512)]
        let sizes = [Resolution(width: 640, height: 480), Resolution(width: 8192, height: 8192)]
        let stream = try #require(DeclaredSizes(try Caps("video/x-h264,stream-format=byte-stream")))
        #expect((sets[0] + H264Maker.slice(of: 0) + sets[1]).withUnsafeBytes(stream.sizes) == sizes)
        let damaged = Array(sets[0].prefix(9)) + H264Maker.slice(of: 0)
        #expect(damaged.withUnsafeBytes(stream.sizes) == [nil])
        let units = sets.map { Array($0.dropFirst(4)) }
        var header: [UInt8] = [1, 66, 0xC0, 40, 0xFF, 0xE2]
        var sample: [UInt8] = []
        for unit in units {
            header += [0, UInt8(unit.count)] + unit
            sample += [0, 0, 0, UInt8(unit.count)] + unit
        }
        header.append(0)
        let hex = header.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let format = try Caps("video/x-h264,stream-format=avc,codec_data=(buffer)\(hex)")
        let film = try #require(DeclaredSizes(format))
        #expect(film.inHeader == sizes)
        #expect(sample.withUnsafeBytes(film.sizes) == sizes)
    }
}
