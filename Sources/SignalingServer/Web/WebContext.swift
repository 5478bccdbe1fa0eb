internal import Hummingbird
internal import Logging

/// What Hummingbird carries along with a request.
struct WebContext: RequestContext {
    struct Source: RequestContextSource {
        let logger: Logger
    }

    var coreContext: CoreRequestContextStorage

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}
