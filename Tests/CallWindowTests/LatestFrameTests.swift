import Basics
import Synchronization
import Testing

@testable import CallWindow
@testable import WindowKit

@Suite("Storage of the latest frame of each side")
struct LatestFrameTests {
    private final class Posts: Sendable {
        let count = Atomic(0)
        let succeeds = Atomic(true)

        func post() -> Bool {
            count.add(1, ordering: .relaxed)
            return succeeds.load(ordering: .relaxed)
        }
    }

    private let posts = Posts()
    private let clock = Clock()
    private let latestFrame: LatestFrame

    /// A clock in milliseconds that the test advances.
    private final class Clock: Sendable {
        let now = Atomic<UInt64>(1000)
        func advance(by milliseconds: UInt64) { now.add(milliseconds, ordering: .relaxed) }
    }

    init() {
        latestFrame = LatestFrame(clock: { [clock] in clock.now.load(ordering: .relaxed) }) { [posts] in
            posts.post()
        }
    }

    private var postCount: Int { posts.count.load(ordering: .relaxed) }

    @Test("Only the newest frame of each side is stored, and can be fetched only once")
    func newest() {
        SolidFrame.red.show(on: latestFrame)
        SolidFrame.blue.show(on: latestFrame)
        SolidFrame.green.show(on: latestFrame, from: .local)
        #expect(latestFrame.fetch(.remote)?.original.luma.first == SolidFrame.blue.y)
        #expect(latestFrame.fetch(.remote) == nil)
        #expect(latestFrame.fetch(.local)?.original.luma.first == SolidFrame.green.y)
    }

    @Test("A second redraw event is posted only after the first one has arrived")
    func coalescing() {
        for _ in 0..<10 { SolidFrame.red.show(on: latestFrame) }
        SolidFrame.red.show(on: latestFrame, from: .local)
        #expect(posts.count.load(ordering: .relaxed) == 1)
        latestFrame.redrawArrived()
        SolidFrame.red.show(on: latestFrame)
        #expect(posts.count.load(ordering: .relaxed) == 2)
    }

    @Test("A redraw event that could not be posted is posted with the next frame")
    func failedPost() {
        posts.succeeds.store(false, ordering: .relaxed)
        SolidFrame.red.show(on: latestFrame)
        SolidFrame.red.show(on: latestFrame)
        #expect(posts.count.load(ordering: .relaxed) == 2)
    }

    @Test("While remote video arrives, local video and level meters are redrawn with the next remote frame")
    func together() {
        SolidFrame.red.show(on: latestFrame)
        latestFrame.redrawArrived()
        clock.advance(by: 49)
        SolidFrame.green.show(on: latestFrame, from: .local)
        latestFrame.show(audioLevel: -20, of: .remote)
        #expect(postCount == 1)
        clock.advance(by: 1)
        SolidFrame.green.show(on: latestFrame, from: .local)
        #expect(postCount == 2)
    }

    @Test("A level meter is redrawn immediately if no remote video arrives")
    func meterAlone() {
        latestFrame.show(audioLevel: -20, of: .local)
        #expect(postCount == 1)
        latestFrame.redrawArrived()
        SolidFrame.red.show(on: latestFrame)
        latestFrame.redrawArrived()
        latestFrame.discard(.remote)
        latestFrame.show(audioLevel: -10, of: .remote)
        #expect(postCount == 3)
    }

    @Test("An audio level expires after half a second")
    func silence() {
        latestFrame.show(audioLevel: -20, of: .remote)
        clock.advance(by: 499)
        #expect(latestFrame.audioLevel(of: .remote) == -20)
        clock.advance(by: 1)
        #expect(latestFrame.audioLevel(of: .remote) == nil)
    }

    @Test("No frame is stored after closing")
    func closed() {
        SolidFrame.red.show(on: latestFrame)
        latestFrame.close()
        SolidFrame.red.show(on: latestFrame)
        #expect(latestFrame.fetch(.remote) == nil)
        #expect(postCount == 1)
    }

    @Test("A frame is released once it has been fetched or replaced")
    func references() {
        weak var held: VideoFrame?
        func show() {
            guard let frame = SolidFrame.red.frame else { return }
            held = frame
            latestFrame.show(frame, from: .remote)
        }
        show()
        #expect(held != nil)
        _ = latestFrame.fetch(.remote)
        #expect(held == nil)
        show()
        SolidFrame.blue.show(on: latestFrame)
        #expect(held == nil)
    }

    @Test("A discarded frame cannot be fetched")
    func discarded() {
        SolidFrame.red.show(on: latestFrame)
        latestFrame.discard(.remote)
        #expect(latestFrame.fetch(.remote) == nil)
    }

    @Test("Frames may arrive on several threads at once", .timeLimit(.minutes(4)))
    func threads() async {
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask { [latestFrame] in
                    for side in 1...200 { SolidFrame.red.sized(side + number, side).show(on: latestFrame) }
                }
            }
        }
        #expect(latestFrame.fetch(.remote)?.original.luma.allSatisfy { $0 == SolidFrame.red.y } == true)
    }

    @Test("A frame is scaled to the size at which its side is displayed")
    func scaling() {
        SolidFrame.red.sized(640, 360).show(on: latestFrame)
        #expect(latestFrame.fetch(.remote)?.pixels == nil)
        latestFrame.setShownSize(.inside(Resolution(width: 1000, height: 1000)), of: .remote)
        latestFrame.setShownSize(.exactly(Resolution(width: 120, height: 90)), of: .local)
        for side in MediaSide.allCases { SolidFrame.red.sized(640, 360).show(on: latestFrame, from: side) }
        #expect(latestFrame.fetch(.remote)?.pixels?.size == Resolution(width: 1000, height: 563))
        #expect(latestFrame.fetch(.local)?.pixels?.size == Resolution(width: 120, height: 90))
    }

    @Test("In a hidden window, frames are stored, but neither scaled nor drawn")
    func hidden() {
        latestFrame.setShownSize(.inside(Resolution(width: 1000, height: 1000)), of: .remote)
        latestFrame.setHidden(true)
        SolidFrame.red.sized(640, 360).show(on: latestFrame)
        latestFrame.show(audioLevel: -20, of: .remote)
        #expect(postCount == 0)
        let frame = latestFrame.fetch(.remote)
        #expect(frame != nil && frame?.pixels == nil)
        latestFrame.setHidden(false)
        SolidFrame.red.sized(640, 360).show(on: latestFrame)
        #expect(postCount == 1 && latestFrame.fetch(.remote)?.pixels != nil)
    }
}

extension VideoFrame {
    fileprivate var luma: [UInt8] { withPlanes { Array($0[0].bytes) } }
}
