/// The requests on their way from the event loop to the routes, limited in number.
struct WebRequestQueue: Sendable {
    /// The maximum number of waiting requests; further ones are answered with 503 at once.
    static let capacity = 256

    private struct Item: Sendable {
        let request: WebRequest
        let reply: @Sendable (WebResponse) -> Void
    }

    private let items: AsyncStream<Item>
    private let input: AsyncStream<Item>.Continuation

    init() {
        (items, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    /// Queues a request; false if too many are waiting already.
    ///
    /// `reply` is called once, on any thread.
    func offer(_ request: WebRequest, reply: @escaping @Sendable (WebResponse) -> Void) -> Bool {
        if case .enqueued = input.yield(Item(request: request, reply: reply)) { true } else { false }
    }

    /// Lets the routes answer the requests, each in its own task, until cancelled.
    func run(_ routes: any WebRoutes) async {
        await withDiscardingTaskGroup { group in
            for await item in items {
                group.addTask { item.reply(await routes.respond(to: item.request)) }
            }
        }
    }
}
