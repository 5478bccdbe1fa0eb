internal import Basics
internal import LiveCore
internal import LiveMedia
internal import LiveServer
internal import Logging
internal import MediaKit

/// A file that a server offers in a loop as the live stream `demo`.
struct ServedFile {
    private static let id = "demo"

    let channel: LiveChannel
    private let packager: FilePackager
    /// Whether the file is read only while the stream has viewers.
    private let isOnDemand: Bool
    private let logger: Logger
    private let warn: @Sendable (String) -> Void

    /// Prepares the stream, without opening the file; `warn` receives a message if the file cannot be read or
    /// streamed.
    init(
        _ path: String,
        _ installation: Installation,
        onDemand isOnDemand: Bool = false,
        logger: Logger,
        warn: @escaping @Sendable (String) -> Void
    ) {
        channel = LiveChannel(Self.id, isOnDemand: isOnDemand)
        packager = FilePackager(path, library: installation.library, isHurried: isOnDemand)
        (self.isOnDemand, self.logger, self.warn) = (isOnDemand, logger, warn)
    }

    /// Checks that there is a file to offer.
    ///
    /// - Throws: `MediaFailure`.
    static func check(_ path: String) throws(MediaFailure) {
        do throws(MediaFailure) { try SourceOpener.expectFile(path) } catch {
            guard case .source(let message, _) = error else { throw error }
            throw .source(message: message, hint: "give --live-file a file that can be read")
        }
    }

    var service: LiveService { LiveService(logger: logger, channel: channel) }

    /// Returns the channel of the stream if this is its playback ID.
    func channel(_ id: String) -> LiveChannel? { id == Self.id ? channel : nil }

    /// The URL of the playlist on the server at `server`.
    static func url(on server: String) -> String { "\(server)/\(id).m3u8" }

    /// Offers the file while `body` runs; a failure of the file is a warning, and the server continues.
    func offer<Result>(_ body: () async -> Result) async -> Result {
        await withDiscardingTaskGroup { group in
            group.addTask {
                if isOnDemand {
                    await channel.runOnDemand(packager) {
                        warn("the live stream “\(Self.id)” is interrupted: \($0.message)")
                    }
                    return
                }
                do throws(LiveFailure) { try await channel.run(packager) } catch {
                    warn("the live stream “\(Self.id)” has ended: \(error.message)")
                }
            }
            defer { group.cancelAll() }
            return await body()
        }
    }
}
