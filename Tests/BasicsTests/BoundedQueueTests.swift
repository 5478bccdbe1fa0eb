import Basics
import Testing

@Suite("Bounded queues", .timeLimit(.minutes(4)))
struct BoundedQueueTests {
    @Test("A queue refuses elements above its limits of number and size until earlier ones have been read")
    func bounds() async {
        let queue = BoundedQueue<Int>(countLimit: 3, sizeLimit: 100)
        #expect(queue.send(1, size: 1000))
        #expect(!queue.send(2, size: 1))
        #expect(await queue.next() == 1)
        #expect(queue.send(3, size: 60))
        #expect(!queue.send(4, size: 60))
        #expect(queue.send(5, size: 40))
        #expect(queue.send(6, size: 0))
        #expect(!queue.send(7, size: 0))
        #expect(queue.send(8))
        queue.finish()
        var left: [Int] = []
        for await element in queue { left.append(element) }
        #expect(left == [3, 5, 6, 8])
    }

    @Test("A queue keeps the order of many elements")
    func order() async {
        let queue = BoundedQueue<Int>(countLimit: 1000, sizeLimit: 0)
        for number in 0..<1000 { #expect(queue.send(number, size: 0)) }
        for number in 0..<1000 { #expect(await queue.next() == number) }
    }

    @Test("A queue releases each element once it has been read, even if others wait")
    func released() async {
        final class Object: Sendable {}
        let queue = BoundedQueue<Object>(countLimit: 10, sizeLimit: 0)
        var object: Object? = Object()
        weak let kept = object
        if let object { _ = queue.send(object) }
        _ = queue.send(Object())
        object = nil
        #expect(kept != nil)
        _ = await queue.next()
        #expect(kept == nil)
    }

    @Test("A queue ends when the task of its reader is cancelled")
    func cancelled() async {
        let queue = BoundedQueue<Int>(countLimit: 1, sizeLimit: 0)
        let reader = Task { await queue.next() }
        reader.cancel()
        #expect(await reader.value == nil)
        #expect(queue.send(1, size: 0))
        #expect(await queue.next() == nil)
    }
}
