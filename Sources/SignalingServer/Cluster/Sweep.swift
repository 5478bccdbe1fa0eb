internal import NIOCore

/// An operation on many items, which limits how many of them wait for Redis at a time.
///
/// Confined to its event loop.
final class Sweep<Item> {
    private static var width: Int { 256 }

    private let eventLoop: any EventLoop
    private var rest: ArraySlice<Item>
    private let body: (Item, @escaping () -> Void) -> Void

    private init(
        _ items: [Item],
        _ eventLoop: any EventLoop,
        _ body: @escaping (Item, @escaping () -> Void) -> Void
    ) {
        rest = items[...]
        self.eventLoop = eventLoop
        self.body = body
    }

    /// Runs `body` for each item; `body` must call `next` once when it is done.
    static func run(
        over items: [Item],
        on eventLoop: any EventLoop,
        _ body: @escaping (Item, _ next: @escaping () -> Void) -> Void
    ) {
        let sweep = Sweep(items, eventLoop, body)
        for _ in 0..<min(width, items.count) { sweep.next() }
    }

    private func next() {
        guard let item = rest.popFirst() else { return }
        body(item) { [self] in eventLoop.assumeIsolated().execute { self.next() } }
    }
}
