import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The call screen")
    @WindowActor struct CallScreenTests {
        private let bench: ScreenBench

        init() async throws {
            bench = try await ScreenBench(width: 960, height: 540)
        }

        private var screen: CallScreen {
            get throws { try #require(bench.window.screenHost.shownView as? CallScreen) }
        }

        private func showCall(isManaged: Bool = true) async -> CallViewModel {
            let call = await bench.call { state in
                state.isManaged = isManaged
                state.heldSince = .now
            }
            bench.show(.call(call))
            SolidFrame.red.sized(640, 360).show(on: bench.window.sink)
            SolidFrame.blue.sized(320, 180).show(on: bench.window.sink, from: .local)
            bench.window.needsRedraw = true
            bench.window.redrawIfNeeded()
            return call
        }

        @Test("Remote video fills the window, and local video with rounded corners is in its corner")
        func video() async throws {
            _ = await showCall()
            bench.settle()
            let snapshot = try #require(bench.window.snapshot())
            #expect(snapshot.isNear(255, 0, 0, x: 480, y: 200))
            let tile = try #require(bench.window.screenHost.localTile)
            #expect(snapshot.isNear(0, 0, 255, x: tile.x + tile.width / 2, y: tile.y + 20))
            #expect(snapshot.isNear(255, 0, 0, x: tile.x, y: tile.y), "the corner is not round")
        }

        @Test("A call that begins with the camera off reserves the tile for the local video")
        func cameraOff() async throws {
            let call = await bench.call { $0.controls.isCameraOff = true }
            bench.show(.call(call))
            bench.settle()
            let tile = try #require(screen.localTile)
            #expect(abs(tile.width / tile.height - 16 / 9) < 0.1)
            call.store.update { $0.controls.isCameraOff = false }
            bench.settle()
            #expect(try screen.localTile == tile, "the tile does not wait for the video")
        }

        @Test("A call that sends no video shows no local tile, even if the camera is off")
        func audioOnly() async throws {
            let call = await bench.call { state in
                state.hasOwnVideo = false
                state.controls.isCameraOff = true
            }
            bench.show(.call(call))
            bench.settle()
            #expect(try screen.localTile == nil)
        }

        @Test("A call that directly follows another one starts without the previous call's video")
        func next() async throws {
            _ = await showCall()
            bench.settle()
            bench.show(.call(await bench.call("Eve")))
            #expect(bench.window.scene.remote.size == nil && bench.window.scene.local.size == nil)
            #expect(bench.window.screenHost.video == CallVideo())
        }

        @Test("Missing video is indicated over the last frame until another frame arrives")
        func pause() async throws {
            _ = await showCall()
            bench.settle()
            func isDimmed() throws -> Bool {
                try !#require(bench.window.snapshot()).isNear(255, 0, 0, x: 40, y: 270)
            }
            #expect(try !isDimmed())
            #expect(try 1...3000 ~= #require(bench.window.delay), "nothing looks for it")
            bench.window.pauseTimeout = 0
            bench.settle()
            #expect(try isDimmed() && screen.isAwake)
            #expect(bench.window.screenHost.video.isPaused)
            bench.window.pauseTimeout = 3_600_000
            SolidFrame.red.sized(640, 360).show(on: bench.window.sink)
            bench.window.frameArrived()
            bench.settle()
            #expect(try !isDimmed() && !screen.isAwake)
        }

        @Test("The controls fade when the pointer rests and return when it moves")
        func fading() async throws {
            _ = await showCall()
            bench.handle(.move(Point(400, 300)))
            #expect(try screen.isAwake)
            bench.settle()
            #expect(try !screen.isAwake && !bench.window.screenHost.showsPointer)
            let delay = bench.window.screenHost.delay(now: bench.window.clock())
            #expect(delay == nil, "something is drawn though nothing can be seen of it")
            bench.handle(.move(Point(410, 300)))
            #expect(try screen.isAwake && bench.window.screenHost.showsPointer)
            #expect(bench.window.delay != nil)
        }

        @Test("A red dot shows that the call is recorded, even while the controls are hidden")
        func recording() async throws {
            let call = await showCall()
            SolidFrame.green.sized(640, 360).show(on: bench.window.sink)
            bench.window.frameArrived()
            func red() throws -> Int {
                let snapshot = try #require(bench.window.snapshot())
                return (300..<660).count { snapshot.isNear(255, 75, 75, x: $0, y: Int(Space.large) + 18) }
            }
            for isAwake in [true, false] {
                bench.isAwake = isAwake
                call.store.update { $0.controls.recording = nil }
                bench.settle()
                #expect(try screen.isAwake == isAwake)
                #expect(try red() == 0)
                call.store.update { $0.controls.recording = "call.mkv" }
                bench.settle()
                #expect(try 8...12 ~= red())
            }
        }

        @Test("A remote frame does not redraw the user interface")
        func economy() async throws {
            _ = await showCall()
            bench.settle()
            let (frames, redraws) = (bench.window.screenHost.frames, bench.window.redraws)
            for _ in 0..<10 {
                SolidFrame.green.sized(640, 360).show(on: bench.window.sink)
                bench.window.frameArrived()
                bench.window.redrawIfNeeded()
            }
            #expect(bench.window.redraws == redraws + 10)
            #expect(bench.window.screenHost.frames == frames)
        }

        @Test("Buttons and keys mute, turn off the camera, record and take a snapshot")
        func controls() async throws {
            let call = await showCall()
            bench.click("call.mute")
            bench.click("call.camera")
            #expect(call.store.state.controls.isMuted && call.store.state.controls.isCameraOff)
            press(SDLK_m, in: bench.window)
            press(SDLK_PLUS, in: bench.window)
            let louder = CallsCommand.changeVolume(isLouder: true)
            #expect(await bench.next(4) == [.setMuted(true), .setCameraOff(true), .setMuted(false), louder])
            #expect(!call.store.state.controls.isMuted)
            bench.click("call.record")
            bench.click("call.snapshot")
            #expect(bench.kept == [.startRecording(path: nil, sides: nil), .takeSnapshot(path: nil)])
        }

        @Test("A new playback volume is shown over the video for some seconds")
        func volume() async throws {
            let call = await showCall()
            bench.settle()
            func letters() throws -> Int {
                let snapshot = try #require(bench.window.snapshot())
                let row = CallNotices.place(in: bench.window.screenHost.ui)
                return (400..<560).count { !snapshot.isNear(255, 0, 0, x: $0, y: Int(row.center.y)) }
            }
            #expect(try letters() == 0)
            await call.show(.volume(110))
            bench.now += 0.5
            bench.window.screenHost.touch()
            bench.window.redrawIfNeeded()
            bench.now += 0.5
            #expect(try letters() > 50)
            bench.settle()
            #expect(try letters() == 0)
        }

        @Test("Full-screen mode ends together with the call")
        func fullScreen() async throws {
            _ = await showCall()
            press(SDLK_f, in: bench.window)
            press(SDLK_m, in: bench.window)
            _ = await bench.next(1)
            #expect(bench.window.window.isFullScreen && bench.window.screenHost.isFullScreen)
            bench.show(.room(try await bench.room()))
            #expect(!bench.window.window.isFullScreen && !bench.window.screenHost.isFullScreen)
        }

        @Test("The end button hangs up, both in the app and in the window of a command-line client")
        func end() async throws {
            _ = await showCall(isManaged: true)
            bench.click("call.end")
            #expect(bench.commands == [.call(.hangUp)])
            _ = await showCall(isManaged: false)
            bench.click("call.end")
            #expect(bench.commands == [.hangUp, .quit])
        }

        @Test("The local video can be dragged and snaps to the nearest corner")
        func dragging() async throws {
            _ = await showCall()
            bench.settle()
            let start = try #require(screen.localTile).center
            bench.handle(.press(start))
            bench.handle(.move(Point(start.x - 100, start.y - 60)))
            let dragged = try #require(screen.localTile)
            #expect(abs(dragged.center.x - start.x + 100) < 1)
            bench.handle(.move(Point(100, 80)))
            bench.handle(.release(Point(100, 80)))
            bench.settle()
            let tile = try #require(screen.localTile)
            #expect(try screen.tile.corner == .topLeft && tile.x < 40 && tile.y < 40)
        }

        @Test("The keyboard moves the local video from corner to corner")
        func corners() async throws {
            _ = await showCall()
            bench.press(.tab(isBackwards: false))
            bench.press(.enter)
            #expect(try screen.tile.corner == .bottomLeft)
        }

        @Test("An incoming call can be answered on the call screen")
        func asked() async throws {
            let call = await bench.call("Bob", .ringing) { $0.isIncoming = true }
            bench.show(.call(call))
            bench.click("ring.accept")
            #expect(bench.commands == [.call(.accept)])
        }

        @Test("No frame drawn after a resize is blank")
        func resize() async throws {
            let room = try await bench.room()
            bench.show(.room(room))
            for (width, height) in [(640, 480), (500, 700), (1200, 500)] as [(Int32, Int32)] {
                SDL_SetWindowSize(SDL_GetWindowFromID(bench.window.id), width, height)
                send(SDL_WINDOWEVENT_SIZE_CHANGED, to: bench.window)
                let snapshot = try #require(bench.window.snapshot())
                #expect(snapshot.width == Int(width))
                #expect(Set(snapshot.rgb).count > 20)
            }
        }
    }
}
