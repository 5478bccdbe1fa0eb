internal import LiveCore
internal import LiveMedia
internal import LiveServer
internal import MediaKit

/// A file that a server offers as the live stream `demo`, over and over.
struct ServedFile {
    private static let id = "demo"

    private let packager: FilePackager
    private let channel = LiveChannel(Self.id)
    private let front: ServerFront

    /// Prepares the file, without opening it.
    ///
    /// - Throws: `Failure` if the pipeline templates are not installed.
    init(_ path: String, _ front: ServerFront, environment: [String: String]) throws(Failure) {
        packager = FilePackager(
            path,
            library: try Installation(pipelines: nil, environment: environment).library
        )
        self.front = front
    }

    var service: LiveService { LiveService([channel], logger: front.logger) }

    /// Offers the file while `body` runs; a failure of the file is a warning, and the server continues.
    func offer(at url: String, _ body: () async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                do throws(LiveFailure) { try await channel.run(packager) } catch {
                    front.warn("the live stream “\(Self.id)” has ended: \(error.message)")
                }
            }
            defer { group.cancelAll() }
            front.say("live stream: \(url)/\(Self.id).m3u8")
            await body()
        }
    }
}
