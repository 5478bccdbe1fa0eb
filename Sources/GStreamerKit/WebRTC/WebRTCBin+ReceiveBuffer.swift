internal import CGStreamer
internal import GLibKit

extension WebRTCBin {
    /// The receive buffer in bytes: two seconds at 4 Mb/s, for a thread that a busy machine delays.
    ///
    /// The kernel's default holds some ninety packets, which is one large keyframe.
    private static let receiveBuffer = 1 << 20

    private typealias SelectedSocket =
        @convention(c) (UnsafeMutablePointer<GObject>, guint, guint) -> UnsafeMutableRawPointer?

    private static let selectedSocket = LibNice.function("nice_agent_get_selected_socket").map {
        unsafeBitCast($0, to: SelectedSocket.self)  // the signature is that of libnice 0.1.21's documentation
    }

    /// Enlarges the receive buffer of the socket of each candidate pair that ICE selects.
    func widenReceiveBuffer() {
        niceAgent?.object.connect("new-selected-pair-full") { arguments in
            guard let agent = arguments.object(0),
                let socket = Self.selectedSocket?(agent.pointer, arguments.uint(1), arguments.uint(2))
            else { return }
            ObjectRef(taking: socket).setReceiveBuffer(bytes: Self.receiveBuffer)
        }
    }
}
