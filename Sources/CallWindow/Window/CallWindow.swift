package import Basics
internal import CSDL
internal import CallCore
package import WindowKit

/// A window that shows the screens of the user interface and, during a call, its video below the controls.
///
/// It is redrawn only after a new frame, a state change, user input or a request of the desktop, and during
/// animations. If no screen is set, it shows only the video.
///
/// The key `f` toggles full-screen mode, and Esc leaves it; the view model of the screen decides what other keys
/// do (`Shortcut`).
@WindowActor package final class CallWindow {
    /// The requests to end the run, for a single consumer; the stream finishes when the window is closed.
    package nonisolated let closeRequests: AsyncStream<CloseRequest>
    /// The sink for the call's video, usable on any thread; after `close()` it discards frames.
    package nonisolated var sink: any VideoSink { latestFrame }
    /// The sink for the app's live stream, which it accepts as remote video.
    package nonisolated var liveSink: any VideoSink { live.latest }
    /// The sink for the video that is played in a conversation, which it accepts as remote video.
    package nonisolated var conversationSink: any VideoSink { conversation.latest }

    /// The number of times that the window has been drawn.
    private(set) var redraws = 0

    /// The clock of all animations, in seconds; tests replace it.
    var clock: () -> Double = { Double(SDL_GetTicks64()) / 1000 }

    /// The time without a frame after which the remote video counts as paused, in milliseconds.
    var pauseTimeout: UInt64 = 3000

    /// SDL's ID of the window.
    nonisolated let id: UInt32

    let window: SDLWindow
    let canvas: Canvas
    let scene: CallScene
    let screenHost: ScreenHost
    let pointer = Pointer()
    nonisolated let latestFrame: LatestFrame
    /// The app's live stream.
    nonisolated let live: StreamVideo
    /// The video of the message that is played in its conversation.
    nonisolated let conversation: StreamVideo
    let closeRequestContinuation: AsyncStream<CloseRequest>.Continuation
    private var firstFrameWaiters: [AsyncStream<Bool>.Continuation] = []
    /// The sides, remote and local, whose new frame has been fetched but not yet presented.
    private var unpresented: Set<MediaSide> = []
    /// The audio levels that were drawn last.
    private var presentedLevels: [MediaSide: Double] = [:]
    var inputs = InputWatch()
    /// Whether the whole window has to be redrawn.
    var needsRedraw = true
    /// Whether a new frame or audio level has to be drawn.
    var hasNewPicture = false
    var shownTitle = WindowTitle()
    private(set) var isOpen = true

    /// Opens a window and draws it without video.
    ///
    /// `size` is in SDL's units; nil selects a size that suits the display. Only X11 and Wayland are tried
    /// unless `SDL_VIDEODRIVER` names another driver; `SDL_RENDER_DRIVER` selects the renderer.
    ///
    /// - Throws: `WindowError` if there is no display or no renderer, or if the display refuses the window.
    package static func open(
        title: String,
        size: Resolution? = nil,
        style: WindowStyle = .normal,
        surroundings: WindowSurroundings = WindowSurroundings(stringsFolder: "assets/strings")
    ) throws(WindowError) -> CallWindow {
        let window = try SDLWindow(title: Self.printable(title), size: size, style: style)
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
        let id = window.id
        self.id = id
        latestFrame = LatestFrame { WindowActor.executor.postRedraw(ofWindow: id) }
        live = StreamVideo(canvas: canvas, window: id)
        conversation = StreamVideo(canvas: canvas, window: id)
        screenHost = ScreenHost(
            canvas: canvas,
            surroundings: surroundings,
            live: live.texture,
            conversation: conversation.texture
        )
        (closeRequests, closeRequestContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(64)
        )
        screenHost.toggleFullScreen = { [weak self] in self?.toggleFullScreen() }
    }

    isolated deinit { close() }

    /// Closes the window and ends `closeRequests`; further calls do nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        OpenWindows.shared.remove(id: id)
        for frame in [latestFrame, live.latest, conversation.latest] { frame.close() }
        if !window.isLost { letScreenSleep() }
        window.close(after: pointer.close)
        closeRequestContinuation.finish()
        finishFirstFrameWaiters(shown: false)
    }

    /// Removes the video and the audio level of one side of the call.
    package func clear(_ side: MediaSide) {
        guard !window.isLost else { return }  // no SDL function may be called any more
        latestFrame.discard(side)
        latestFrame.forgetAudioLevel(of: side)
        update { texture(of: side).clear() }
    }

    /// Returns the number of frames of one side of the call that have been presented so far; callable on any
    /// thread.
    package nonisolated func framesShown(of side: MediaSide) -> Int {
        latestFrame.shown(side)
    }

    /// Waits until the first remote frame is presented; false if the window closes or the task is cancelled.
    package func firstFrameShown() async -> Bool {
        if framesShown(of: .remote) > 0 { return true }
        guard isOpen else { return false }
        let (shown, continuation) = AsyncStream.makeStream(of: Bool.self)
        firstFrameWaiters.append(continuation)
        for await isShown in shown { return isShown }
        return false
    }

    /// Captures the window's current content; nil if the window is closed, the display is lost, or the
    /// renderer cannot be read.
    package func snapshot() -> Snapshot? {
        guard isOpen, !window.isLost else { return nil }
        fetchFrames()
        if screenHost.refresh(scale: window.scale, now: clock()) { needsRedraw = true }
        draw(nil)  // presenting may destroy the drawn pixels, so draw again
        return canvas.snapshot()
    }

    /// The warnings for the user about missing fonts or texts, one line each.
    package var warnings: [String] { screenHost.warnings }

    /// The delays from user input until its effect is presented, by the name of the shown screen.
    package var inputDelays: [String: InputDelays] { inputs.delays }

    /// Whether the desktop prefers dark windows; it matters if the user has chosen no theme.
    package var prefersDark: Bool {
        get { screenHost.prefersDark }
        set { update { screenHost.prefersDark = newValue } }
    }

    /// Whether changes are shown without animations.
    package var reducesMotion: Bool {
        get { screenHost.ui.motion.isReduced }
        set { screenHost.ui.motion.isReduced = newValue }
    }
}

// MARK: - Drawing

extension CallWindow {
    /// Draws the changes since the last redraw, if the window is visible.
    func redrawIfNeeded() {
        guard isOpen else { return }
        let isVisible = window.isVisible
        latestFrame.setHidden(!isVisible)
        for (video, place) in streams where video.setShown(isVisible && place != nil) { letScreenSleep() }
        guard isVisible else { return }
        updateVideo()
        let frames = screenHost.frames
        if screenHost.refresh(scale: window.scale, now: clock()) { needsRedraw = true }
        showPointer()
        guard needsRedraw || hasNewPicture else {
            if screenHost.frames != frames || screenHost.isEmpty {
                inputs.nothingChanged(isMoving: screenHost.isMoving)
            }
            return
        }
        fetchFrames()
        // After the first frame of the remote or local video, the controls over it look different.
        if screenHost.refresh(scale: window.scale, now: clock()) { needsRedraw = true }
        for (video, place) in streams where video.setShown(place != nil) { letScreenSleep() }
        let change = change
        (needsRedraw, hasNewPicture, presentedLevels) = (false, false, scene.levels)
        switch change {
        case .nothing:
            if screenHost.frames != frames { inputs.nothingChanged(isMoving: screenHost.isMoving) }
            return countFrames()
        case .part(let part):
            draw(part)
            window.present(part)
        case .everything:
            draw(nil)
            window.present(nil)
        }
        if let screen = screenHost.screenName {
            inputs.presented(on: screen, at: SDL_GetTicks())
        } else {
            inputs.nothingChanged(isMoving: false)
        }
        redraws += 1
        countFrames()
    }

    private func countFrames() {
        for side in unpresented { latestFrame.countShown(side) }
        if unpresented.contains(.remote) { remoteFrameShown() }
        unpresented = []
        if live.countFrame(), screenHost.showsLargeStream { keepScreenOn() }
        if conversation.countFrame() { keepScreenOn() }
    }

    /// The videos outside calls, with their rectangles in pixels and the visible parts; nil if a video is not visible.
    private var streams: [(video: StreamVideo, place: (whole: Rect, part: Rect)?)] {
        [(live, screenHost.liveRect.map { ($0, $0) }), (conversation, screenHost.conversationPlace)]
    }

    /// The milliseconds until the window must be redrawn without an event; nil if it need not be.
    var delay: Int? {
        guard isOpen, window.isVisible else { return nil }
        return [screenHost.delay(now: clock()), untilPause].compactMap(\.self).min()
    }

    private var untilPause: Int? {
        guard screenHost.showsVideo, !screenHost.video.isPaused,
            let silence = latestFrame.silence(of: .remote)
        else { return nil }
        return Int(pauseTimeout - min(silence, pauseTimeout))
    }

    /// The part of the window that the next redraw has to draw.
    private enum Change {
        case nothing
        case part(Rect)
        case everything
    }

    private var change: Change {
        let streams = streams.filter { $0.place != nil }
        guard !needsRedraw, canvas.isSoftware, !screenHost.isEmpty, screenHost.showsVideo || !streams.isEmpty
        else {
            return .everything
        }
        guard screenHost.showsVideo else {
            let parts = streams.compactMap { $0.video.hasNewFrame ? $0.place?.part : nil }
            return parts.dropFirst().reduce(parts.first) { $0?.union($1) }.map(Change.part) ?? .nothing
        }
        let part = scene.changes(
            by: unpresented,
            levelsBefore: presentedLevels,
            scale: window.scale,
            localTile: screenHost.localTile,
            hidesRemote: screenHost.hidesRemote
        )
        return part.map(Change.part) ?? .nothing
    }

    private func draw(_ part: Rect?) {
        canvas.draw(within: part) { drawContent() }
        noteShownSizes()
    }

    /// Passes the displayed sizes of the videos to `latestFrame`, so that media threads scale the next
    /// frames.
    private func noteShownSizes() {
        let (width, height) = canvas.size
        let showsRemote = screenHost.isEmpty || screenHost.showsVideo && !screenHost.hidesRemote
        let area = Resolution(width: width, height: height)
        latestFrame.setShownSize(canvas.isSoftware && showsRemote ? .inside(area) : nil, of: .remote)
        latestFrame.setShownHeight(showsRemote ? height : nil)
        let tileOfScreen = screenHost.showsVideo ? screenHost.localTile : nil
        let tile = screenHost.isEmpty ? scene.tile(scale: window.scale) : tileOfScreen
        let size = tile.map { ShownSize.exactly(Resolution(width: $0.width, height: $0.height)) }
        latestFrame.setShownSize(size, of: .local)
        for (video, place) in streams { video.fit(place?.whole, isSoftware: canvas.isSoftware) }
    }

    private func drawContent() {
        guard !screenHost.isEmpty else { return scene.draw(scale: window.scale) }
        if screenHost.showsVideo {
            scene.draw(
                scale: window.scale,
                localTile: screenHost.localTile,
                radius: screenHost.tileRadius,
                ground: screenHost.groundColor,
                hidesRemote: screenHost.hidesRemote
            )
        } else {
            let (width, height) = canvas.size
            // Clearing would ignore the clip rectangle.
            canvas.fill(Rect(x: 0, y: 0, width: width, height: height), screenHost.groundColor)
        }
        screenHost.render()
    }

    private func showPointer() {
        guard !screenHost.isEmpty else { return pointer.show(!window.isFullScreen, asText: false) }
        pointer.show(screenHost.showsPointer, asText: screenHost.isTextCursor)
        let place = screenHost.typedInto.map { box in
            let zoom = screenHost.zoom * window.unitsPerPoint
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

    private func fetchFrames() {
        for side in MediaSide.allCases { scene.levels[side] = latestFrame.audioLevel(of: side) }
        for side in MediaSide.allCases {
            guard let frame = latestFrame.fetch(side), texture(of: side).setFrame(frame) else { continue }
            unpresented.insert(side)
        }
        // While a stream is not shown, its frames are not uploaded.
        for (video, place) in streams where place != nil && video.fetch() { screenHost.touch() }
        updateVideo()
    }

    private func updateVideo() {
        let video = CallVideo(
            remote: scene.remote.size,
            local: scene.local.size,
            isPaused: latestFrame.silence(of: .remote).map { $0 >= pauseTimeout } ?? false
        )
        if video != screenHost.video { needsRedraw = true }
        screenHost.video = video
    }

    private func texture(of side: MediaSide) -> VideoTexture {
        switch side {
        case .remote: scene.remote
        case .local: scene.local
        }
    }

    private func keepScreenOn() {
        // users watch video without any input
        if SDL_IsScreenSaverEnabled() == SDL_TRUE { SDL_DisableScreenSaver() }
    }

    /// Enables the screen saver again, because no video is being watched.
    func letScreenSleep() {
        if SDL_IsScreenSaverEnabled() == SDL_FALSE { SDL_EnableScreenSaver() }
    }

    private func remoteFrameShown() {
        keepScreenOn()
        finishFirstFrameWaiters(shown: true)
    }

    private func finishFirstFrameWaiters(shown: Bool) {
        for waiter in firstFrameWaiters {
            waiter.yield(shown)
            waiter.finish()
        }
        firstFrameWaiters = []
    }

    /// Removes control characters and truncates the text to 200 characters, because it may come from the
    /// network.
    static func printable(_ text: String) -> String {
        String(text.prefix(200).filter { !$0.isNewline && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }
}
