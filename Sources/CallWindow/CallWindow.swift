package import CallCore
internal import CSDL

/// The window of one call: the remote picture, the local one in a corner, and a few keys.
///
/// It redraws only when a picture comes, or when the desktop or a key asks for it. Keys: `f` full screen, `m`
/// mute, `v` camera off, `+` and `-` the peer's loudness, `q` or Esc hang up.
@WindowActor package final class CallWindow {
    /// What the user does; one reader, and it ends when the window is closed.
    package nonisolated let actions: AsyncStream<WindowAction>
    /// Takes the call's pictures, from any thread; after `close()` it takes them and does nothing.
    package nonisolated var sink: any VideoSink { mailbox }

    /// How many times the window has been drawn.
    private(set) var redraws = 0

    /// SDL's number for the window.
    nonisolated let id: UInt32

    private let window: SDLWindow
    private let canvas: Canvas
    private let scene: CallScene
    private nonisolated let mailbox: PictureMailbox
    private let actionContinuation: AsyncStream<WindowAction>.Continuation
    private var firstFrameWaiters: [AsyncStream<Bool>.Continuation] = []
    /// Uploaded, and not yet on the screen.
    private var unpresented: Set<Picture> = []
    private var needsRedraw = true
    private var isOpen = true

    /// Opens a window and draws its first, empty picture; `width` and `height` are in the desktop's units.
    ///
    /// Throws where there is no display or nothing that draws. Only X11 and Wayland are tried unless
    /// `SDL_VIDEODRIVER` says otherwise, and `SDL_RENDER_DRIVER` chooses how to draw.
    package static func open(
        title: String,
        width: Int = 960,
        height: Int = 540
    ) throws(WindowError) -> CallWindow {
        let call = CallWindow(try SDLWindow(title: Self.printable(title), width: width, height: height))
        OpenWindows.shared.add(call, id: call.id)
        call.window.setIcon(Icon.pixels(side: 64), side: 64)
        call.redrawIfNeeded()
        return call
    }

    private init(_ window: SDLWindow) {
        self.window = window
        canvas = Canvas(renderer: window.renderer)
        scene = CallScene(canvas: canvas)
        let id = window.id
        self.id = id
        mailbox = PictureMailbox { WindowActor.executor.postRedraw(ofWindow: id) }
        (actions, actionContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    isolated deinit { close() }

    /// Closes the window and ends `actions`; further calls do nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        OpenWindows.shared.remove(id: id)
        window.close()
        actionContinuation.finish()
        finishFirstFrameWaiters(shown: false)
    }

    /// Names the peer and the call's state in the window's title, as in "Bob · connected · callrunner".
    package func setTitle(peer: String?, state: String) {
        guard isOpen else { return }
        let parts = [peer ?? "", state, "callrunner"].filter { !$0.isEmpty }
        window.setTitle(Self.printable(parts.joined(separator: " · ")))
    }

    /// Whether the microphone is shown as muted; setting it sends no action.
    package var isMuted: Bool {
        get { scene.isMuted }
        set { update { scene.isMuted = newValue } }
    }

    /// Whether the camera is shown as on; setting it sends no action.
    package var isCameraOn: Bool {
        get { scene.isCameraOn }
        set { update { scene.isCameraOn = newValue } }
    }

    /// Goes back to what is shown before the first picture.
    package func clear(_ picture: Picture) {
        mailbox.discard(picture)
        mailbox.forgetSound(of: picture)
        update { texture(of: picture).clear() }
    }

    /// How many pictures have come onto the screen so far; callable on any thread.
    package nonisolated func framesShown(of picture: Picture) -> Int {
        mailbox.shown(picture)
    }

    /// Waits for the first remote picture on the screen; false if the window closes, or the task is cancelled, before.
    package func firstFrameShown() async -> Bool {
        if framesShown(of: .remote) > 0 { return true }
        guard isOpen else { return false }
        let (shown, continuation) = AsyncStream.makeStream(of: Bool.self)
        firstFrameWaiters.append(continuation)
        for await isShown in shown { return isShown }
        return false
    }

    /// What the window shows at this moment, as pixels; nil once it is closed, or if the renderer cannot tell.
    package func snapshot() -> Snapshot? {
        guard isOpen else { return nil }
        fetchPictures()
        scene.draw(scale: window.scale)  // what was presented is the renderer's to overwrite
        return canvas.snapshot()
    }
}

// MARK: - Events

extension CallWindow {
    func handle(_ event: SDL_WindowEventID) {
        switch event {
        case SDL_WINDOWEVENT_CLOSE: perform(.hangUp)
        case SDL_WINDOWEVENT_EXPOSED, SDL_WINDOWEVENT_SIZE_CHANGED, SDL_WINDOWEVENT_SHOWN,
            SDL_WINDOWEVENT_RESTORED, SDL_WINDOWEVENT_MAXIMIZED, SDL_WINDOWEVENT_DISPLAY_CHANGED:
            needsRedraw = true
        default: break
        }
    }

    func perform(_ command: WindowCommand) {
        switch command {
        case .hangUp:
            actionContinuation.yield(.hangUp)
        case .toggleMute:
            scene.isMuted.toggle()
            needsRedraw = true
            actionContinuation.yield(.mute(scene.isMuted))
        case .toggleCamera:
            scene.isCameraOn.toggle()
            needsRedraw = true
            actionContinuation.yield(.camera(scene.isCameraOn))
        case .louder, .softer:
            actionContinuation.yield(.volume(louder: command == .louder))
        case .toggleFullScreen:
            window.toggleFullScreen()
            needsRedraw = true
        }
    }

    func pictureArrived() {
        mailbox.redrawArrived()
        needsRedraw = true
    }

    /// Draws what has changed since the last time; nothing while nobody can see it.
    func redrawIfNeeded() {
        guard isOpen, needsRedraw, window.isVisible else { return }
        needsRedraw = false
        fetchPictures()
        scene.draw(scale: window.scale)
        window.present()
        redraws += 1
        for picture in unpresented { mailbox.countShown(picture) }
        if unpresented.contains(.remote) { remotePictureShown() }
        unpresented = []
    }

    private func update(_ change: () -> Void) {
        guard isOpen else { return }
        change()
        needsRedraw = true
        redrawIfNeeded()
    }

    private func fetchPictures() {
        for picture in Picture.allCases { scene.levels[picture] = mailbox.soundLevel(of: picture) }
        for picture in Picture.allCases
        where texture(of: picture).update(with: { mailbox.fetch(picture, into: &$0) }) {
            unpresented.insert(picture)
        }
    }

    private func texture(of picture: Picture) -> PictureTexture {
        switch picture {
        case .remote: scene.remote
        case .local: scene.local
        }
    }

    private func remotePictureShown() {
        if SDL_IsScreenSaverEnabled() == SDL_TRUE { SDL_DisableScreenSaver() }  // nobody types while looking
        finishFirstFrameWaiters(shown: true)
    }

    private func finishFirstFrameWaiters(shown: Bool) {
        for waiter in firstFrameWaiters {
            waiter.yield(shown)
            waiter.finish()
        }
        firstFrameWaiters = []
    }

    /// A name comes from the network; the title takes one line of it.
    private static func printable(_ text: String) -> String {
        String(text.prefix(200).filter { !$0.isNewline && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }
}
