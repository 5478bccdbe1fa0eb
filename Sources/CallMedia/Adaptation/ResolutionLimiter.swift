internal import GStreamerKit
internal import Synchronization

/// Keeps the pictures that an encoder is given within what the peer's decoder is bound to manage.
final class ResolutionLimiter: Sendable {
    private let limit: H264Level.Demand
    private let filter: Element
    private let size = Mutex<VideoMode?>(nil)

    /// Sets the caps of `filter`, a capsfilter behind a videoscale; nil where nothing bounds, or can.
    init?(_ limit: H264Level.Demand?, filter: Element?) {
        guard let limit, let filter else { return nil }
        (self.limit, self.filter) = (limit, filter)
    }

    /// Shrinks pictures of `caps` where they are too large; on their streaming thread, before they come.
    func follow(_ caps: Caps) {
        guard let size = VideoMode(caps) else { return }
        let isNew = self.size.withLock { known in
            defer { known = size }
            return known != size
        }
        guard isNew else { return }
        let shrunk = size.shrunk(to: limit)
        // What fits is left alone but for odd sides.
        let (width, height) =
            shrunk == size ? ("[2,8192,2]", "[2,8192,2]") : ("\(shrunk.width)", "\(shrunk.height)")
        let wanted = try? Caps("video/x-raw,format=I420,width=\(width),height=\(height)")
        if let wanted { filter.set("caps", wanted) }
    }
}
