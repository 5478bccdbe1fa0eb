import RTMP
import Testing

@Suite("FLV payloads")
struct FLVTests {
    @Test(
        "Video is parsed and encoded",
        arguments: [
            (FLVVideo.configuration([1, 2]), [0x17, 0, 0, 0, 0, 1, 2] as [UInt8]),
            (.frame(isKeyframe: true, offset: 0, [9]), [0x17, 1, 0, 0, 0, 9]),
            (.frame(isKeyframe: false, offset: 66, [9]), [0x27, 1, 0, 0, 66, 9]),
            (.frame(isKeyframe: false, offset: -1, [9]), [0x27, 1, 0xFF, 0xFF, 0xFF, 9]),
            (.endOfSequence, [0x17, 2, 0, 0, 0]),
        ]
    )
    func video(video: FLVVideo, payload: [UInt8]) throws {
        #expect(video.payload == payload)
        #expect(try FLVVideo(payload) == video)
    }

    @Test(
        "Enhanced RTMP names codecs by four characters",
        arguments: [
            (FLVVideo.configuration([5]), [0x90, 0x61, 0x76, 0x63, 0x31, 5] as [UInt8]),
            (.frame(isKeyframe: true, offset: 2, [5]), [0x91, 0x61, 0x76, 0x63, 0x31, 0, 0, 2, 5]),
            (.frame(isKeyframe: false, offset: 0, [5]), [0xA3, 0x61, 0x76, 0x63, 0x31, 5]),
            (.endOfSequence, [0x92, 0x61, 0x76, 0x63, 0x31]),
            (.nothing, [0x94, 0x61, 0x76, 0x63, 0x31]),
            (.unsupported("hvc1"), [0x90, 0x68, 0x76, 0x63, 0x31]),
            (.unsupported("a??1"), [0x90, 0x61, 0, 0xFF, 0x31]),
        ]
    )
    func enhanced(video: FLVVideo, payload: [UInt8]) throws { #expect(try FLVVideo(payload) == video) }

    @Test("Other codecs of video are named")
    func otherVideo() throws {
        #expect(try FLVVideo([0x12, 0]) == .unsupported("Sorenson H.263"))
        #expect(try FLVVideo([0x1C, 0]) == .unsupported("HEVC"))
        #expect(try FLVVideo([0x1F, 0]) == .unsupported("codec 15"))
        #expect(try FLVVideo([0x57, 0]) == .nothing)
        #expect(try FLVVideo([0x17, 1, 0]) == .nothing)
    }

    @Test(
        "Audio is parsed and encoded",
        arguments: [
            (FLVAudio.configuration([0x12, 0x10]), [0xAF, 0, 0x12, 0x10] as [UInt8]),
            (.frame([1, 2]), [0xAF, 1, 1, 2]),
        ]
    )
    func audio(audio: FLVAudio, payload: [UInt8]) throws {
        #expect(audio.payload == payload)
        #expect(try FLVAudio(payload) == audio)
    }

    @Test("Other audio is named, and empty messages are ignored")
    func otherAudio() throws {
        #expect(try FLVAudio([0x2F, 0]) == .unsupported("MP3"))
        #expect(try FLVAudio([0x91, 0x6D, 0x70, 0x34, 0x61, 7]) == .frame([7]))
        #expect(try FLVAudio([0x90, 0x4F, 0x70, 0x75, 0x73]) == .unsupported("Opus"))
        #expect(try FLVAudio([]) == .nothing)
        #expect(try FLVAudio([0xAF]) == .nothing)
    }

    @Test(
        "Truncated payloads are refused",
        arguments: [[], [0x90, 0x61], [0x91, 0x61, 0x76, 0x63, 0x31, 0]]
    )
    func truncated(payload: [UInt8]) {
        #expect(throws: RTMPViolation.truncated) { try FLVVideo(payload) }
    }
}
