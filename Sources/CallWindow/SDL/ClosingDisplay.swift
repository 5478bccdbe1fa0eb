internal import CSDL

/// A guard for closing a window, which keeps the process alive if the X server goes meanwhile.
@WindowActor final class ClosingDisplay {
    private typealias SetExit =
        @convention(c) (
            OpaquePointer, (@convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void)?,
            UnsafeMutableRawPointer?
        ) -> Void
    private typealias Unmap = @convention(c) (OpaquePointer, UInt) -> Int32
    private typealias Sync = @convention(c) (OpaquePointer, Int32) -> Int32
    private typealias PutBack = @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Int32

    /// Whether the X server has gone meanwhile.
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
        setExit(display, { _, _ in }, nil)  // otherwise Xlib would exit
    }

    /// Unmaps the window, because SDL would wait for that forever if the display went meanwhile.
    func unmap() {
        _ = unmapWindow(display, window)
        _ = sync(display, 0)
        queueUnmapNotify()
    }

    /// Queues the event that SDL waits for if another client has destroyed the window.
    ///
    /// SDL takes such a window for a visible one, asks the server, and reads the reply even if there is none
    /// (SDL 2.26).
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

    /// Looks up X11's handles of the display and the window, as laid out in SDL_syswm.h.
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
