internal import GStreamerKit
internal import Synchronization

/// Scales the input frames of an encoder down to the limit of the H.264 level negotiated with the peer.
final class ResolutionLimiter: Sendable {
    private let limit: H264Level.Demand
    private let filter: Element
    private let size = Mutex<VideoMode?>(nil)

    /// Creates a limiter that sets the caps of `filter`, a capsfilter behind a videoscale.
    ///
    /// The result is nil if there is no limit or no filter.
    init?(_ limit: H264Level.Demand?, filter: Element?) {
        guard let limit, let filter else { return nil }
        (self.limit, self.filter) = (limit, filter)
    }

    /// Sets the filter's output size for input frames with `caps`; called on the streaming thread before each
    /// frame is pushed.
    func follow(_ caps: Caps) {
        guard let size = VideoMode(caps) else { return }
        let isNew = self.size.withLock { known in
            defer { known = size }
            return known != size
        }
        guard isNew else { return }
        let shrunk = size.shrunk(to: limit)
        // Frames within the limit keep their size, but odd widths and heights are rounded to even ones.
        let (width, height) =
            shrunk == size ? ("[2,8192,2]", "[2,8192,2]") : ("\(shrunk.width)", "\(shrunk.height)")
        let wanted = try? Caps("video/x-raw,format=I420,width=\(width),height=\(height)")
        if let wanted { filter.set("caps", wanted) }
    }
}
