import CSDL
import CallCore
import Testing

@testable import CallFlow
@testable import CallWindow

extension CallWindowTests {
    @Suite("The call screen")
    @WindowActor struct CallScreenTests {
        private let stage: ScreenBench

        init() async throws {
            stage = try await ScreenBench(width: 960, height: 540)
        }

        private var screen: CallScreen {
            get throws { try #require(stage.window.stage.shownView as? CallScreen) }
        }

        private func showCall(isManaged: Bool = true) async -> CallViewModel {
            let call = await stage.call { state in
                state.isManaged = isManaged
                state.heldSince = .now
            }
            stage.show(.call(call))
            SolidFrame.red.sized(640, 360).show(on: stage.window.sink)
            SolidFrame.blue.sized(320, 180).show(on: stage.window.sink, from: .local)
            stage.window.needsRedraw = true
            stage.window.redrawIfNeeded()
            return call
        }

        @Test("Remote video fills the window, local video is in a corner and has rounded corners")
        func pictures() async throws {
            _ = await showCall()
            stage.settle()
            let snapshot = try #require(stage.window.snapshot())
            #expect(snapshot.isNear(255, 0, 0, x: 480, y: 200))
            let tile = try #require(stage.window.stage.localTile)
            #expect(snapshot.isNear(0, 0, 255, x: tile.x + tile.width / 2, y: tile.y + 20))
            #expect(snapshot.isNear(255, 0, 0, x: tile.x, y: tile.y), "the corner is not round")
        }

        @Test("A call that directly follows another starts without the previous video")
        func next() async throws {
            _ = await showCall()
            stage.settle()
            stage.show(.call(await stage.call("Eve")))
            #expect(stage.window.scene.remote.size == nil && stage.window.scene.local.size == nil)
            #expect(stage.window.stage.pictures == CallVideo())
        }

        @Test("Missing video is indicated over the last frame until another frame arrives")
        func pause() async throws {
            _ = await showCall()
            stage.settle()
            func isDimmed() throws -> Bool {
                try !#require(stage.window.snapshot()).isNear(255, 0, 0, x: 40, y: 270)
            }
            #expect(try !isDimmed())
            #expect(try 1...3000 ~= #require(stage.window.delay), "nothing looks for it")
            stage.window.patience = 0
            stage.settle()
            #expect(try isDimmed() && screen.isAwake)
            #expect(stage.window.stage.pictures.isPaused)
            stage.window.patience = 3_600_000
            SolidFrame.red.sized(640, 360).show(on: stage.window.sink)
            stage.window.pictureArrived()
            stage.settle()
            #expect(try !isDimmed() && !screen.isAwake)
        }

        @Test("The controls fade when the pointer rests and return when it moves")
        func fading() async throws {
            _ = await showCall()
            stage.handle(.move(Point(400, 300)))
            #expect(try screen.isAwake)
            stage.settle()
            #expect(try !screen.isAwake && !stage.window.stage.showsPointer)
            let delay = stage.window.stage.delay(now: stage.window.clock())
            #expect(delay == nil, "something is drawn though nothing can be seen of it")
            stage.handle(.move(Point(410, 300)))
            #expect(try screen.isAwake && stage.window.stage.showsPointer)
            #expect(stage.window.delay != nil)
        }

        @Test("A red dot shows that the call is recorded, even while the controls are hidden")
        func recording() async throws {
            let call = await showCall()
            SolidFrame.green.sized(640, 360).show(on: stage.window.sink)
            stage.window.pictureArrived()
            func red() throws -> Int {
                let snapshot = try #require(stage.window.snapshot())
                return (300..<660).count { snapshot.isNear(255, 75, 75, x: $0, y: Int(Space.large) + 18) }
            }
            for isAwake in [true, false] {
                stage.isAwake = isAwake
                call.store.update { $0.controls.recording = nil }
                stage.settle()
                #expect(try screen.isAwake == isAwake)
                #expect(try red() == 0)
                call.store.update { $0.controls.recording = "call.mkv" }
                stage.settle()
                #expect(try 8...12 ~= red())
            }
        }

        @Test("A remote frame does not redraw the interface")
        func economy() async throws {
            _ = await showCall()
            stage.settle()
            let (frames, redraws) = (stage.window.stage.frames, stage.window.redraws)
            for _ in 0..<10 {
                SolidFrame.green.sized(640, 360).show(on: stage.window.sink)
                stage.window.pictureArrived()
                stage.window.redrawIfNeeded()
            }
            #expect(stage.window.redraws == redraws + 10)
            #expect(stage.window.stage.frames == frames)
        }

        @Test("Buttons and keys mute, turn off the camera, record and take a snapshot")
        func controls() async throws {
            let call = await showCall()
            stage.click("call.mute")
            stage.click("call.camera")
            #expect(call.store.state.controls.isMuted && call.store.state.controls.isCameraOff)
            press(SDLK_m, in: stage.window)
            press(SDLK_PLUS, in: stage.window)
            for await action in stage.window.actions {
                #expect(action == .volume(louder: true))
                break
            }
            #expect(!call.store.state.controls.isMuted)
            stage.click("call.record")
            stage.click("call.snapshot")
            #expect(stage.kept == [.startRecording(path: nil, sides: nil), .takeSnapshot(path: nil)])
        }

        @Test("The peer's new volume is shown over the video for some seconds")
        func loudness() async throws {
            let call = await showCall()
            stage.settle()
            func letters() throws -> Int {
                let snapshot = try #require(stage.window.snapshot())
                let row = CallNotices.place(in: stage.window.stage.ui)
                return (400..<560).count { !snapshot.isNear(255, 0, 0, x: $0, y: Int(row.center.y)) }
            }
            #expect(try letters() == 0)
            await call.show(.volume(110))
            stage.now += 0.5
            stage.window.stage.touch()
            stage.window.redrawIfNeeded()
            stage.now += 0.5
            #expect(try letters() > 50)
            stage.settle()
            #expect(try letters() == 0)
        }

        @Test("The full screen ends with its call")
        func fullScreen() async throws {
            _ = await showCall()
            press(SDLK_f, in: stage.window)
            press(SDLK_m, in: stage.window)
            stage.window.perform(.louder)
            for await _ in stage.window.actions { break }
            #expect(stage.window.window.isFullScreen && stage.window.stage.isFullScreen)
            stage.show(.room(try await stage.room()))
            #expect(!stage.window.window.isFullScreen && !stage.window.stage.isFullScreen)
        }

        @Test("The end button hangs up in the app, and requests the end of a command-line call")
        func end() async throws {
            _ = await showCall(isManaged: true)
            stage.click("call.end")
            #expect(stage.commands == [.call(.hangUp)])
            _ = await showCall(isManaged: false)
            stage.click("call.end")
            #expect(stage.commands == [.call(.hangUp)])
            for await action in stage.window.actions {
                #expect(action == .hangUp)
                break
            }
        }

        @Test("The local video can be dragged and snaps to the nearest corner")
        func dragging() async throws {
            _ = await showCall()
            stage.settle()
            let start = try #require(screen.localTile).center
            stage.handle(.press(start))
            stage.handle(.move(Point(start.x - 100, start.y - 60)))
            let dragged = try #require(screen.localTile)
            #expect(abs(dragged.center.x - start.x + 100) < 1)
            stage.handle(.move(Point(100, 80)))
            stage.handle(.release(Point(100, 80)))
            stage.settle()
            let tile = try #require(screen.localTile)
            #expect(try screen.tile.corner == .topLeft && tile.x < 40 && tile.y < 40)
        }

        @Test("The keyboard moves the local video from corner to corner")
        func corners() async throws {
            _ = await showCall()
            stage.press(.tab(isBackwards: false))
            stage.press(.enter)
            #expect(try screen.tile.corner == .bottomLeft)
        }

        @Test("An incoming call can be answered on the call screen")
        func asked() async throws {
            let call = await stage.call("Bob", .ringing) { $0.isIncoming = true }
            stage.show(.call(call))
            stage.click("ring.accept")
            #expect(stage.commands == [.call(.accept)])
        }

        @Test("No frame of a resize has a single color")
        func resize() async throws {
            let room = try await stage.room()
            stage.show(.room(room))
            for (width, height) in [(640, 480), (500, 700), (1200, 500)] as [(Int32, Int32)] {
                SDL_SetWindowSize(SDL_GetWindowFromID(stage.window.id), width, height)
                send(SDL_WINDOWEVENT_SIZE_CHANGED, to: stage.window)
                let snapshot = try #require(stage.window.snapshot())
                #expect(snapshot.width == Int(width))
                #expect(Set(snapshot.rgb).count > 20)
            }
        }
    }
}
