package import Basics

/// The callbacks of a source after it was opened.
package struct SourceEvents: Sendable {
    /// Called when the source fails.
    let failed: @Sendable (MediaFailure) -> Void
    /// Called with a sentence about a problem that does not end the call.
    var warn: @Sendable (String) -> Void = { _ in }
    /// Called with the name of the source when it ends and is not repeated.
    var ended: @Sendable (String) -> Void = { _ in }

    package init(
        failed: @escaping @Sendable (MediaFailure) -> Void,
        warn: @escaping @Sendable (String) -> Void = { _ in },
        ended: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.failed, self.warn, self.ended) = (failed, warn, ended)
    }
}
