internal import CGStreamer
internal import GLibKit
internal import Glibc

extension WebRTCBin {
    /// What may wait for a thread that a busy machine does not run, in bytes: two seconds of 4 Mb/s.
    ///
    /// By default the kernel keeps some ninety packets, which is one large keyframe.
    private static let receiveBuffer = 1 << 20

    private typealias SelectedSocket =
        @convention(c) (UnsafeMutablePointer<GObject>, guint, guint) -> UnsafeMutableRawPointer?

    /// `nice_agent_get_selected_socket` of the libnice that GStreamer has loaded, whose headers it does not bring.
    private static let selectedSocket: SelectedSocket? = {
        guard let library = dlopen("libnice.so.10", RTLD_LAZY | RTLD_NOLOAD),
            let function = dlsym(library, "nice_agent_get_selected_socket")
        else { return nil }
        // The signature is that of libnice 0.1.21's documentation.
        return unsafeBitCast(function, to: SelectedSocket.self)
    }()

    /// Makes room at the socket of each pair that ICE selects.
    func widenReceiveBuffer() {
        niceAgent?.object.connect("new-selected-pair-full") { arguments in
            guard let agent = arguments.object(0),
                let socket = Self.selectedSocket?(agent.pointer, arguments.uint(1), arguments.uint(2))
            else { return }
            ObjectRef(taking: socket).setReceiveBuffer(bytes: Self.receiveBuffer)
        }
    }
}
