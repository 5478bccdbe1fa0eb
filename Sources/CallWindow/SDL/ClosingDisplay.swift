internal import CSDL

/// The X server of a window that is being closed, whose end is no matter then: Xlib does not end the process for it.
@WindowActor final class ClosingDisplay {
    private typealias SetExit =
        @convention(c) (
            OpaquePointer, (@convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void)?,
            UnsafeMutableRawPointer?
        ) -> Void
    private typealias Unmap = @convention(c) (OpaquePointer, UInt) -> Int32
    private typealias Sync = @convention(c) (OpaquePointer, Int32) -> Int32
    private typealias PutBack = @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Int32

    /// Whether it has gone meanwhile.
    var isLost = false
    private let display: OpaquePointer
    private let window: UInt
    private let unmapWindow: Unmap
    private let sync: Sync
    private let putBackEvent: PutBack

    /// Nil where SDL speaks to no X server, or its library is older than 1.7.1.
    init?(of sdlWindow: OpaquePointer) {
        guard let (display, window) = Self.names(of: sdlWindow),
            let setExit = Xlib.function("XSetIOErrorExitHandler", as: SetExit.self),
            let unmapWindow = Xlib.function("XUnmapWindow", as: Unmap.self),
            let sync = Xlib.function("XSync", as: Sync.self),
            let putBackEvent = Xlib.function("XPutBackEvent", as: PutBack.self)
        else { return nil }
        (self.display, self.window) = (display, window)
        (self.unmapWindow, self.sync, self.putBackEvent) = (unmapWindow, sync, putBackEvent)
        setExit(display, { _, _ in }, nil)  // else Xlib would exit
    }

    /// Takes the window off the screen: SDL would wait for that for ever where the display goes meanwhile.
    func unmap() {
        _ = unmapWindow(display, window)
        _ = sync(display, 0)
        queueUnmapNotify()
    }

    /// Answers what SDL waits for should it take a window that another client has destroyed for one on the screen: it
    /// asks the server and reads the answer even where there is none (SDL 2.26).
    private func queueUnmapNotify() {
        let unmapNotify: Int32 = 18
        // XUnmapEvent, as Xlib.h lays it out, in the 192 bytes of an XEvent.
        withUnsafeTemporaryAllocation(byteCount: 192, alignment: 8) { event in
            event.initializeMemory(as: UInt8.self, repeating: 0)
            event.storeBytes(of: unmapNotify, as: Int32.self)
            event.storeBytes(of: display, toByteOffset: 24, as: OpaquePointer.self)
            event.storeBytes(of: window, toByteOffset: 32, as: UInt.self)
            event.storeBytes(of: window, toByteOffset: 40, as: UInt.self)
            if let start = event.baseAddress { _ = putBackEvent(display, start) }
        }
    }

    /// X's names for the display and the window, as SDL_syswm.h lays them out.
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
