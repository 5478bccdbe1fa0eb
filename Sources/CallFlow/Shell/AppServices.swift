package import CallCore

/// Lends what a stay in a room is held with.
package protocol AppServices: Sendable {
    /// Whether a text can be a server's address.
    func isAddress(_ server: String) -> Bool

    /// Calls `body` with services of its own, and closes them when it returns, which goes on where the calling task
    /// is cancelled.
    ///
    /// - Throws: where there can be none; what is thrown tells why.
    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async throws
}

extension AppServices {
    package func isAddress(_ server: String) -> Bool { true }
}

/// Services that stand already.
struct StandingServices: AppServices {
    let signaling: any SignalingService
    let media: any MediaService

    func withServices(
        _ settings: AppSettings,
        token: String?,
        for identity: Identity,
        _ body: @Sendable (any SignalingService, any MediaService) async -> Void
    ) async {
        await body(signaling, media)
    }
}
