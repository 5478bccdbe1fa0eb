import CallCore
import Synchronization
import Testing

@testable import CallWindow

@Suite("Picture mailbox")
struct PictureMailboxTests {
    private final class Posts: Sendable {
        let count = Atomic(0)
        let succeeds = Atomic(true)

        func post() -> Bool {
            count.add(1, ordering: .relaxed)
            return succeeds.load(ordering: .relaxed)
        }
    }

    private let posts = Posts()
    private let mailbox: PictureMailbox

    init() {
        mailbox = PictureMailbox { [posts] in posts.post() }
    }

    @Test("The newest picture of each side wins")
    func newest() {
        SolidFrame.red.show(on: mailbox)
        SolidFrame.blue.show(on: mailbox)
        SolidFrame.green.show(on: mailbox, from: .local)
        var buffer = PictureBuffer()
        #expect(mailbox.fetch(.remote, into: &buffer))
        #expect(buffer.withPlanes { y, _, _ in y[0] } == SolidFrame.blue.y)
        #expect(!mailbox.fetch(.remote, into: &buffer))
        #expect(mailbox.fetch(.local, into: &buffer))
        #expect(buffer.withPlanes { y, _, _ in y[0] } == SolidFrame.green.y)
    }

    @Test("A redraw is posted once until it has arrived")
    func coalescing() {
        for _ in 0..<10 { SolidFrame.red.show(on: mailbox) }
        SolidFrame.red.show(on: mailbox, from: .local)
        #expect(posts.count.load(ordering: .relaxed) == 1)
        mailbox.redrawArrived()
        SolidFrame.red.show(on: mailbox)
        #expect(posts.count.load(ordering: .relaxed) == 2)
    }

    @Test("A redraw that could not be posted is posted with the next picture")
    func failedPost() {
        posts.succeeds.store(false, ordering: .relaxed)
        SolidFrame.red.show(on: mailbox)
        SolidFrame.red.show(on: mailbox)
        #expect(posts.count.load(ordering: .relaxed) == 2)
    }

    @Test("A refused frame posts nothing")
    func refused() {
        SolidFrame.red.sized(9000, 1).show(on: mailbox)
        #expect(posts.count.load(ordering: .relaxed) == 0)
    }

    @Test("A discarded picture is not fetched")
    func discarded() {
        SolidFrame.red.show(on: mailbox)
        mailbox.discard(.remote)
        var buffer = PictureBuffer()
        #expect(!mailbox.fetch(.remote, into: &buffer))
    }

    @Test("Pictures may come from many threads at once", .timeLimit(.minutes(1)))
    func threads() async {
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask { [mailbox] in
                    for side in 1...200 { SolidFrame.red.sized(side + number, side).show(on: mailbox) }
                }
            }
        }
        var buffer = PictureBuffer()
        #expect(mailbox.fetch(.remote, into: &buffer))
        #expect(buffer.withPlanes { y, _, _ in y.allSatisfy { $0 == SolidFrame.red.y } })
    }
}
