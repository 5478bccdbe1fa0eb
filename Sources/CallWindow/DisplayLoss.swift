internal import CSDL

/// Lets the process outlive its X server, at whose loss Xlib would end it, and with it calls and recordings.
enum DisplayLoss {
    private typealias Handler = @convention(c) (OpaquePointer?) -> Int32
    private typealias SetHandler = @convention(c) (Handler?) -> UnsafeRawPointer?

    /// Called once SDL's video is up; where it does not speak to an X server, this does nothing.
    @WindowActor static func prepare() { _ = isPrepared }

    @WindowActor private static let isPrepared: Bool = {
        guard SDL_GetCurrentVideoDriver().map({ String(cString: $0) }) == "x11" else { return false }
        // SDL has loaded the same library, and neither lets it go.
        guard
            let library = SDL_LoadObject("libX11.so.6"),
            let function = SDL_LoadFunction(library, "XSetIOErrorHandler")
        else { return false }
        // Xlib.h: XIOErrorHandler XSetIOErrorHandler(int (*)(Display *))
        let setHandler = unsafeBitCast(function, to: SetHandler.self)
        _ = setHandler { _ in
            // Xlib ends the process when this returns: on the thread of an open window it does not.
            let executor = WindowActor.executor
            guard executor.isIsolatingCurrentContext() == true, executor.waitsForEvents else { return 0 }
            executor.outliveDisplay()
        }
        return true
    }()
}
