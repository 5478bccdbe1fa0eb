internal import CSDL

/// A guard that keeps the process alive if the X server exits while a window is being closed.
@WindowActor final class ClosingDisplay {
    private typealias SetExit =
        @convention(c) (
            OpaquePointer, (@convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void)?,
            UnsafeMutableRawPointer?
        ) -> Void
    private typealias Unmap = @convention(c) (OpaquePointer, UInt) -> Int32
    private typealias Sync = @convention(c) (OpaquePointer, Int32) -> Int32
    private typealias PutBack = @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Int32

    /// Whether the connection to the X server was lost while the window was being closed.
    var isLost = false
    private let display: OpaquePointer
    private let window: UInt
    private let unmapWindow: Unmap
    private let sync: Sync
    private let putBackEvent: PutBack

    /// Prepares to close a window; nil if SDL does not use X11, or libX11 is older than 1.7.1.
    init?(of sdlWindow: OpaquePointer) {
        guard let (display, window) = Self.names(of: sdlWindow),
            let setExit = Xlib.function("XSetIOErrorExitHandler", as: SetExit.self),
            let unmapWindow = Xlib.function("XUnmapWindow", as: Unmap.self),
            let sync = Xlib.function("XSync", as: Sync.self),
            let putBackEvent = Xlib.function("XPutBackEvent", as: PutBack.self)
        else { return nil }
        (self.display, self.window) = (display, window)
        (self.unmapWindow, self.sync, self.putBackEvent) = (unmapWindow, sync, putBackEvent)
        setExit(display, { _, _ in }, nil)  // otherwise Xlib would end the process
    }

    /// Unmaps the window before SDL does so.
    ///
    /// If the connection were lost while SDL waits for the unmapping, SDL would wait forever.
    func unmap() {
        _ = unmapWindow(display, window)
        _ = sync(display, 0)
        queueUnmapNotify()
    }

    /// Queues an UnmapNotify event, for which SDL would wait forever if another client has destroyed the
    /// window.
    ///
    /// SDL 2.26 considers such a window visible: it does not check whether its query of the window's
    /// attributes has failed.
    private func queueUnmapNotify() {
        let unmapNotify: Int32 = 18
        // XUnmapEvent, as laid out in Xlib.h, in the 192 bytes of an XEvent.
        withUnsafeTemporaryAllocation(byteCount: 192, alignment: 8) { event in
            event.initializeMemory(as: UInt8.self, repeating: 0)
            event.storeBytes(of: unmapNotify, as: Int32.self)
            event.storeBytes(of: display, toByteOffset: 24, as: OpaquePointer.self)
            event.storeBytes(of: window, toByteOffset: 32, as: UInt.self)
            event.storeBytes(of: window, toByteOffset: 40, as: UInt.self)
            if let start = event.baseAddress { _ = putBackEvent(display, start) }
        }
    }

    /// Returns the X11 display and window ID of an SDL window, read as laid out in SDL_syswm.h; nil without
    /// X11.
    static func names(of window: OpaquePointer) -> (display: OpaquePointer, window: UInt)? {
        let x11: UInt32 = 2
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { info in
            info.initializeMemory(as: UInt8.self, repeating: 0)
            info.storeBytes(of: UInt8(SDL_MAJOR_VERSION), as: UInt8.self)
            guard SDL_GetWindowWMInfo(window, OpaquePointer(info.baseAddress)) == SDL_TRUE,
                info.load(fromByteOffset: 4, as: UInt32.self) == x11,
                let display = info.load(fromByteOffset: 8, as: OpaquePointer?.self)
            else { return nil }
            return (display, info.load(fromByteOffset: 16, as: UInt.self))
        }
    }
}
