internal import Basics
internal import GLibKit
internal import LiveCore
package import MediaKit
internal import SoupKit

/// A service that loads media from HTTP URLs to send it in calls, with the same limits as for streams that are played.
package struct WebMediaLoader: WebMediaService {
    /// The time within which a server must respond.
    private static let limit = Duration.seconds(10)

    private let check = AddressCheck(client: HTTPClient(idleLimit: Self.limit))

    package init() {}

    package func find(_ url: String) async throws -> WebMedium {
        do {
            let finding = try await withDeadline(Self.limit) { [check] in try await check.check(.url(url)) }
            guard let finding else {
                throw WebMediaFailure("it does not answer within \(DurationText(Self.limit))")
            }
            return finding.playlist == nil ? .file(finding.uri) : .playlist(finding.uri)
        } catch let failure as LiveFailure { throw WebMediaFailure(failure.message) }
    }

    package func gateway(to playlist: String) async throws -> any PlaylistGateway {
        do { return try await SourceGateway(to: playlist) } catch let error as GLibError {
            throw WebMediaFailure(error.message)
        }
    }
}

/// The gateway to one playlist, which answers requests until it is closed.
private final class SourceGateway: PlaylistGateway {
    let address: String
    private let gateway: StreamGateway
    private let loading: Task<Void, Never>

    init(to playlist: String) async throws {
        let gateway = try await StreamGateway()
        address = await gateway.offer(playlist)
        loading = Task { await gateway.run() }
        self.gateway = gateway
    }

    var failure: String? { get async { await gateway.failure?.message } }

    func finish() async {
        // A task of its own, because the calling one may be cancelled.
        await Task { [gateway] in await gateway.finish() }.value
    }

    func close() async {
        loading.cancel()
        await loading.value
    }
}
