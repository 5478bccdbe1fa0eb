internal import Basics
package import LiveCore
internal import Synchronization

/// A live channel: its newest segments, which a packager adds and any number of requests read.
package final class LiveChannel: Sendable {
    package let id: String
    private let window = Mutex(LiveWindow())
    private let hasPlaylist = StateStore(false)

    package init(_ id: String) {
        self.id = id
    }

    /// Adds the segments of a packager until it ends.
    ///
    /// - Throws: `LiveFailure`.
    package func run(_ packager: any LivePackager) async throws(LiveFailure) {
        defer {
            window.withLock { $0.end() }
            hasPlaylist.finish()
        }
        try await packager.run { segment in
            self.window.withLock { $0.add(segment) }
            if !self.hasPlaylist.state, self.playlist() != nil { self.hasPlaylist.update { $0 = true } }
        }
    }

    /// Waits until there is a playlist; false if the packager ends before.
    package func isPublished() async -> Bool {
        for await isPublished in hasPlaylist.states where isPublished { return true }
        return false
    }

    /// The text of the playlist, relative to the channel's URL; nil while nothing is published.
    func playlist() -> String? {
        window.withLock { $0.playlist { "\(self.id)/\($0).ts" } }?.text
    }

    func segment(_ number: Int) -> LiveSegment? { window.withLock { $0.segment(number) } }
}
