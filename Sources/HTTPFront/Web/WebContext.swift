package import Hummingbird
package import Logging

/// The context in which Hummingbird handles a request.
package struct WebContext: RequestContext {
    package struct Source: RequestContextSource {
        package let logger: Logger

        package init(logger: Logger) { self.logger = logger }
    }

    package var coreContext: CoreRequestContextStorage

    package init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}
