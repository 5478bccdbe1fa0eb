internal import CSDL
package import CallCore

/// The window: the flow's screens, and in a call its pictures below what one does there.
///
/// It redraws only when a picture comes, a state changes, something moves, or the desktop or a key asks for it. Without
/// a screen it shows the pictures alone. Keys in a call: `f` full screen, `m` mute, `v` camera off, `+` and `-` the
/// peer's loudness, `q` hang up, Esc leave the full screen or close what is open, and hang up when pressed again.
@WindowActor package final class CallWindow {
    /// What the user does; one reader, and it ends when the window is closed.
    package nonisolated let actions: AsyncStream<WindowAction>
    /// Takes the call's pictures, from any thread; after `close()` it takes them and does nothing.
    package nonisolated var sink: any VideoSink { mailbox }

    /// How many times the window has been drawn.
    private(set) var redraws = 0

    /// Seconds by which everything moves; tests turn it by hand.
    var clock: () -> Double = { Double(SDL_GetTicks64()) / 1000 }

    /// After how long without a picture the peer's last one is no more taken for how it looks, in milliseconds.
    var patience: UInt64 = 3000

    /// SDL's number for the window.
    nonisolated let id: UInt32

    let window: SDLWindow
    let canvas: Canvas
    let scene: CallScene
    let stage: ScreenHost
    let pointer = Pointer()
    nonisolated let mailbox: LatestFrame
    let actionContinuation: AsyncStream<WindowAction>.Continuation
    private var firstFrameWaiters: [AsyncStream<Bool>.Continuation] = []
    /// Uploaded, and not yet on the screen.
    private var unpresented: Set<MediaSide> = []
    var inputs = InputWatch()
    var needsRedraw = true
    var told = WindowTitle()
    private(set) var isOpen = true

    /// Opens a window and draws its first, empty picture; without a `size`, in SDL's units, it suits the screen.
    ///
    /// Throws where there is no display or nothing that draws. Only X11 and Wayland are tried unless
    /// `SDL_VIDEODRIVER` says otherwise, and `SDL_RENDER_DRIVER` chooses how to draw.
    package static func open(
        title: String,
        size: Resolution? = nil,
        surroundings: WindowSurroundings = WindowSurroundings(stringsFolder: "assets/strings")
    ) throws(WindowError) -> CallWindow {
        let window = try SDLWindow(title: Self.printable(title), size: size)
        let call = CallWindow(window, surroundings)
        OpenWindows.shared.add(call, id: call.id)
        call.window.setIcon(Icon.pixels(side: 64), side: 64)
        call.redrawIfNeeded()
        return call
    }

    private init(_ window: SDLWindow, _ surroundings: WindowSurroundings) {
        self.window = window
        canvas = Canvas(renderer: window.renderer)
        scene = CallScene(canvas: canvas)
        stage = ScreenHost(canvas: canvas, surroundings: surroundings)
        let id = window.id
        self.id = id
        mailbox = LatestFrame { WindowActor.executor.postRedraw(ofWindow: id) }
        (actions, actionContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        stage.tell = { [weak self] in self?.perform($0) }
    }

    isolated deinit { close() }

    /// Closes the window and ends `actions`; further calls do nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        OpenWindows.shared.remove(id: id)
        mailbox.close()
        window.close(after: pointer.close)
        actionContinuation.finish()
        finishFirstFrameWaiters(shown: false)
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
    package func clear(_ side: MediaSide) {
        guard !window.isLost else { return }  // what SDL holds of it is not to be touched
        mailbox.discard(side)
        mailbox.forgetAudioLevel(of: side)
        update { texture(of: side).clear() }
    }

    /// How many pictures have come onto the screen so far; callable on any thread.
    package nonisolated func framesShown(of side: MediaSide) -> Int {
        mailbox.shown(side)
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
        guard isOpen, !window.isLost else { return nil }
        fetchPictures()
        _ = stage.refresh(scale: window.scale, now: clock())
        draw()  // what was presented is the renderer's to overwrite
        return canvas.snapshot()
    }

    /// What a person should know of the window, a line each: fonts or texts that are missing.
    package var warnings: [String] { stage.warnings }

    /// How long what the user did took to come onto each screen, by its name.
    package var inputDelays: [String: InputDelays] { inputs.delays }

    /// Whether the desktop prefers dark windows, which holds where the user has chosen nothing.
    package var prefersDark: Bool {
        get { stage.prefersDark }
        set { update { stage.prefersDark = newValue } }
    }
}

// MARK: - Drawing

extension CallWindow {
    /// Draws what has changed since the last time; nothing while nobody can see it.
    func redrawIfNeeded() {
        guard isOpen, window.isVisible else { return }
        notePictures()
        let frames = stage.frames
        if stage.refresh(scale: window.scale, now: clock()) { needsRedraw = true }
        showPointer()
        guard needsRedraw else {
            if stage.frames != frames || stage.isEmpty { inputs.nothingChanged(isMoving: stage.isMoving) }
            return
        }
        needsRedraw = false
        fetchPictures()
        // The first picture of a kind changes what is drawn over it.
        _ = stage.refresh(scale: window.scale, now: clock())
        draw()
        window.present()
        if let screen = stage.screenName {
            inputs.presented(on: screen, at: SDL_GetTicks())
        } else {
            inputs.nothingChanged(isMoving: false)
        }
        redraws += 1
        for side in unpresented { mailbox.countShown(side) }
        if unpresented.contains(.remote) { remotePictureShown() }
        unpresented = []
    }

    /// Milliseconds until it looks otherwise by itself; nil for never.
    var delay: Int? {
        guard isOpen, window.isVisible else { return nil }
        return [stage.delay(now: clock()), untilPause].compactMap(\.self).min()
    }

    private var untilPause: Int? {
        guard stage.showsPictures, !stage.pictures.isPaused, let silence = mailbox.silence(of: .remote)
        else { return nil }
        return Int(patience - min(silence, patience))
    }

    private func draw() {
        guard !stage.isEmpty else { return scene.draw(scale: window.scale) }
        if stage.showsPictures {
            scene.draw(
                scale: window.scale,
                localTile: stage.localTile,
                radius: stage.tileRadius,
                ground: stage.groundColor,
                hidesRemote: stage.hidesRemote
            )
        } else {
            canvas.clear(stage.groundColor)
        }
        stage.render()
    }

    private func showPointer() {
        guard !stage.isEmpty else { return pointer.show(!window.isFullScreen, asText: false) }
        pointer.show(stage.showsPointer, asText: stage.isTextCursor)
        let place = stage.typedInto.map { box in
            let zoom = stage.zoom * window.unitsPerPoint
            return Rect(
                x: Int(box.x * zoom),
                y: Int(box.y * zoom),
                width: Int(box.width * zoom),
                height: Int(box.height * zoom)
            )
        }
        pointer.enter(into: place)
    }

    func update(_ change: () -> Void) {
        guard isOpen else { return }
        change()
        needsRedraw = true
        redrawIfNeeded()
    }

    private func fetchPictures() {
        for side in MediaSide.allCases { scene.levels[side] = mailbox.audioLevel(of: side) }
        for side in MediaSide.allCases {
            guard let frame = mailbox.fetch(side), texture(of: side).take(frame) else { continue }
            unpresented.insert(side)
        }
        notePictures()
    }

    private func notePictures() {
        stage.pictures = CallVideo(
            remote: scene.remote.size,
            local: scene.local.size,
            isPaused: mailbox.silence(of: .remote).map { $0 >= patience } ?? false
        )
    }

    private func texture(of side: MediaSide) -> VideoTexture {
        switch side {
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
    static func printable(_ text: String) -> String {
        String(text.prefix(200).filter { !$0.isNewline && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }
}
