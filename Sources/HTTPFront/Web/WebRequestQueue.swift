/// The queue of requests from the event loop to the routes, limited in length.
package struct WebRequestQueue: Sendable {
    /// The maximum number of queued requests; further ones are answered with 503 at once.
    package static let capacity = 256

    private struct Item: Sendable {
        let request: WebRequest
        let reply: @Sendable (WebResponse) -> Void
    }

    private let items: AsyncStream<Item>
    private let input: AsyncStream<Item>.Continuation

    package init() {
        (items, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    /// Queues a request; false if the queue is full.
    ///
    /// `reply` is called once, on any thread.
    package func offer(_ request: WebRequest, reply: @escaping @Sendable (WebResponse) -> Void) -> Bool {
        if case .enqueued = input.yield(Item(request: request, reply: reply)) { true } else { false }
    }

    /// Passes the queued requests to the routes, each in its own task, until the current task is cancelled.
    package func run(_ routes: any WebRoutes) async {
        await withDiscardingTaskGroup { group in
            for await item in items {
                group.addTask { item.reply(await routes.respond(to: item.request)) }
            }
        }
    }
}
