internal import Hummingbird
internal import Logging

/// The context in which Hummingbird handles a request.
struct WebContext: RequestContext {
    struct Source: RequestContextSource {
        let logger: Logger
    }

    var coreContext: CoreRequestContextStorage

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}
