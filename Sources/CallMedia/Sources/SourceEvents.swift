internal import CallCore

/// Whom a source tells what becomes of it once it is open.
struct SourceEvents: Sendable {
    /// It broke.
    let failed: @Sendable (MediaFailure) -> Void
    /// Something that the call survives, in one sentence.
    var warn: @Sendable (String) -> Void = { _ in }
    /// All of it has been sent, and it is not to begin again; its name.
    var ended: @Sendable (String) -> Void = { _ in }
}
