import Testing

@testable import GStreamerKit

@Suite("Skipping of frames that are not needed")
struct FrameGateTests {
    /// Passes frames of 100 bytes to the gate; a letter names a frame, a capital a keyframe.
    ///
    /// - Returns: The frames that are decoded, in order.
    private static func decoded(_ frames: String, by gate: inout FrameGate<Character>, isNeeded: Bool)
        -> String
    {
        frames.reduce(into: "") { decoded, frame in
            switch gate.decide(frame, bytes: 100, isKeyframe: frame.isUppercase, isNeeded: isNeeded) {
            case .decode: decoded.append(frame)
            case .catchUp(let earlier): decoded += String(earlier) + String(frame)
            case .leaveOut: break
            }
        }
    }

    @Test("When frames are no longer needed, they are skipped from the next keyframe on")
    func leavesOut() {
        var gate = FrameGate<Character>(maximumBytes: 1000)
        #expect(Self.decoded("Abc", by: &gate, isNeeded: true) == "Abc")
        #expect(Self.decoded("deFghIj", by: &gate, isNeeded: false) == "de")
    }

    @Test("When frames are needed again, all frames since the last keyframe are decoded")
    func catchesUp() {
        var gate = FrameGate<Character>(maximumBytes: 1000)
        #expect(Self.decoded("Ab", by: &gate, isNeeded: true) == "Ab")
        #expect(Self.decoded("CdEfg", by: &gate, isNeeded: false) == "")
        #expect(Self.decoded("hiJk", by: &gate, isNeeded: true) == "EfghiJk")
    }

    @Test("If frames are needed again at a keyframe, no earlier frames are decoded")
    func keyframe() {
        var gate = FrameGate<Character>(maximumBytes: 1000)
        #expect(Self.decoded("Ab", by: &gate, isNeeded: true) == "Ab")
        #expect(Self.decoded("Cde", by: &gate, isNeeded: false) == "")
        #expect(Self.decoded("Fg", by: &gate, isNeeded: true) == "Fg")
    }

    @Test("A group of pictures above the size limit is dropped, and decoding resumes at the next keyframe")
    func limit() {
        var gate = FrameGate<Character>(maximumBytes: 250)
        #expect(Self.decoded("Ab", by: &gate, isNeeded: true) == "Ab")
        #expect(Self.decoded("Cdef", by: &gate, isNeeded: false) == "")
        #expect(Self.decoded("ghIj", by: &gate, isNeeded: true) == "Ij")
    }

    @Test("If the format changes within a skipped group, the rest of the group is skipped too")
    func changedFormat() {
        var gate = FrameGate<Character>(maximumBytes: 1000)
        #expect(Self.decoded("AbCd", by: &gate, isNeeded: false) == "Ab")
        gate.changeFormat()
        #expect(Self.decoded("e", by: &gate, isNeeded: true) == "")
        #expect(Self.decoded("FgHi", by: &gate, isNeeded: false) == "Fg")
    }

    @Test("After a seek, one group of pictures is decoded even if it is not needed")
    func seek() {
        var gate = FrameGate<Character>(maximumBytes: 1000)
        #expect(Self.decoded("AbCd", by: &gate, isNeeded: false) == "Ab")
        gate.seek()
        #expect(Self.decoded("EfGh", by: &gate, isNeeded: false) == "Ef")
        #expect(Self.decoded("i", by: &gate, isNeeded: true) == "Ghi")
    }
}
