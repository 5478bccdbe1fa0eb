import Basics
import CallCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Home and the mini player")
    @WindowActor struct HomeScreenTests {
        private let bench: ScreenBench
        private let player = LivePlayer(NoStreams(), options: LiveOptions(audio: LiveAudio(isMuted: true)))
        private let home: HomeViewModel

        init() async throws {
            bench = try await ScreenBench(width: 400, height: 720, hasBar: true, player: player)
            home = try #require(bench.shell?.live?.model)
            player.playback.update { $0.address = .file("/videos/one.mp4") }
            home.show([
                .sample(.file("/videos/one.mp4")),
                .recording(
                    Recording(folder: "/videos", name: "two.mkv", title: "two", began: .now, bytes: 1_000_000)
                ),
            ])
            ScreenBench.play(player, isLive: false)
            bench.show(.home(home))
            showFrame()
        }

        private var places: [ControlID: Box] { bench.window.screenHost.ui.places }
        private var pane: LivePane { get throws { try #require(bench.window.screenHost.pane) } }
        private var box: Box { get throws { try #require(pane.box) } }

        private func showFrame() {
            SolidFrame.red.sized(640, 360).show(on: bench.window.liveSink)
            bench.window.hasNewPicture = true
            bench.window.redrawIfNeeded()
        }

        private func isRed(_ point: Point) throws -> Bool {
            try #require(bench.window.snapshot()).isNear(255, 0, 0, x: Int(point.x), y: Int(point.y))
        }

        @Test("The video is at the top of Home and in a corner of other destinations")
        func position() throws {
            let large = try box
            #expect(large.y < 100 && large.width > 370)
            #expect(abs(large.height - large.width * 9 / 16) <= 1)
            #expect(try isRed(Point(large.center.x, large.y + 60)))
            bench.showSettings()
            let mini = try box
            #expect(mini.width == 160 && mini.right == 400 - 12)
            #expect(mini.bottom == bench.window.screenHost.ui.pageArea.height - 12)
            #expect(try isRed(mini.center))
        }

        @Test("All controls are inside the video in a narrow window with large text", arguments: [1.5, 2])
        func largeText(scale: Double) async throws {
            for language in AppSettings.Language.allCases {
                let player = LivePlayer(NoStreams())
                let bench = try await ScreenBench(
                    width: 480,
                    height: 854,
                    language: language,
                    hasBar: true,
                    player: player
                )
                let home = try #require(bench.shell?.live?.model)
                bench.settings.send(.setTextScale(scale))
                home.begin([])
                player.playback.update { $0.address = .url("http://signaling.example.org:3000/demo.m3u8") }
                ScreenBench.play(player, isLive: true)
                bench.isAwake = true
                bench.show(.home(home))
                let refused = LiveFailure(.unreachable, "refused", cause: .connectionRefused)
                let states: [LiveState] = [
                    .playing, .paused, .loading, .buffering, .offline(refused, retryIn: nil),
                    .offline(refused, retryIn: .seconds(4)), .failed(refused), .ended,
                ]
                for state in states {
                    player.playback.update { $0.state = state }
                    bench.settle()
                    let video = try #require(bench.window.screenHost.pane?.box)
                    let places = bench.window.screenHost.ui.places.filter { "\($0.key)".contains("live.") }
                    if case .offline(_, nil) = state {} else { #expect(!places.isEmpty, "\(state)") }
                    for (id, place) in places {
                        let isInside =
                            place.x >= video.x && place.right <= video.right
                            && place.y >= video.y && place.bottom <= video.bottom
                        #expect(isInside, "\(language) \(state) \(id) \(place) \(video)")
                    }
                }
            }
        }

        @Test("The reason for a playback failure is translated and names host and port, but no secret")
        func problems() {
            var playback = LivePlayback()
            playback.address = .url("https://user:secret@example.org:8443/demo.m3u8?token=secret")
            for language in ["en", "uk", "ru"] {
                let strings = Strings(language: language, folder: ScreenBench.strings)
                for reason in LiveFailure.Reason.allCases {
                    let sentence = strings.sentence(of: LiveFailure(reason, "WHY"), playback)
                    #expect(!sentence.contains("{") && !sentence.contains("live.problem"), "\(sentence)")
                    #expect(!sentence.contains("secret"))
                }
                let refused = LiveFailure(.unreachable, "", cause: .connectionRefused)
                #expect(strings.sentence(of: refused, playback).contains("example.org:8443"))
                let status = LiveFailure(.refused, "", cause: .status(418))
                #expect(strings.sentence(of: status, playback).contains("418"))
            }
        }

        @Test("If the destination changes back during the animation, the video moves back from where it is")
        func turn() throws {
            let large = try box
            bench.window.show(.settings(bench.settings), settings: bench.settings, shell: bench.shell)
            bench.window.redrawIfNeeded()
            var before = try box
            #expect(before == large)
            for _ in 0..<5 {
                step(0.02)
                #expect(try box.width < before.width)
                before = try box
            }
            bench.window.show(.home(home), settings: bench.settings, shell: bench.shell)
            bench.window.redrawIfNeeded()
            #expect(try abs(box.width - before.width) < 1)
            for _ in 0..<5 {
                step(0.02)
                #expect(try box.width >= before.width)
                before = try box
            }
            bench.settle()
            #expect(try box == large)
        }

        private func step(_ seconds: Double) {
            bench.now += seconds
            bench.window.redrawIfNeeded()
        }

        @Test("A new frame is shown without redrawing the screen")
        func partialRedraw() throws {
            bench.showSettings()
            let frames = bench.window.screenHost.frames
            let shown = bench.window.live.latest.shown(.remote)
            showFrame()
            #expect(bench.window.live.latest.shown(.remote) == shown + 1)
            #expect(bench.window.screenHost.frames == frames)
            #expect(try isRed(box.center))
        }

        @Test("While the small window shows the stream, the main window has no video, but a button to return")
        func small() throws {
            home.live.setSmall(true)
            bench.window.screenHost.touch()
            bench.settle()
            #expect(try !isRed(Point(box.center.x, box.y + 30)))
            let back = try #require(places["live.back"])
            bench.showSettings()
            #expect(try pane.box == nil)
            bench.show(.home(home))
            bench.click(back.center.x, back.center.y)
            #expect(!home.live.isSmall.state)
            bench.settle()
            showFrame()
            #expect(try isRed(Point(box.center.x, box.y + 60)))
        }

        @Test("A click on the mini player opens Home")
        func back() async throws {
            let shell = try #require(bench.shell)
            async let outcome = shell.run()
            // The first screen is that of the calls.
            bench.showSettings()
            shell.show(.settings)
            for await screen in shell.screens where screen.destination == .settings { break }
            let mini = try box
            bench.click(mini.x + 20, mini.bottom - 20)
            for await screen in shell.screens where screen.destination == .home { break }
            shell.quit()
            _ = await outcome
        }

        @Test("In a wide window, the mini player covers no control of the pages", arguments: [960, 1280])
        func beside(width: Int) async throws {
            let bench = try await ScreenBench(width: width, height: 640, hasBar: true, player: player)
            let settings = try #require(bench.shell?.settings.model)
            let room = try await bench.room { $0.connection = .connected }
            for screen in [.settings(settings), .calls(.room(room))] as [Screen] {
                bench.show(screen)
                let host = bench.window.screenHost
                let mini = try #require(host.pane?.box)
                #expect(mini.width >= 160)
                for (id, place) in host.ui.places where !id.name.hasPrefix("live.") {
                    #expect(!place.intersects(mini), "\(id.name)")
                }
            }
        }

        @Test(
            "A notice reduces the page only by its own height, and the mini player does not overlap it",
            arguments: [400, 960]
        )
        func banner(width: Int) async throws {
            let bench = try await ScreenBench(width: width, height: 640, hasBar: true, player: player)
            let room = try await bench.room { state in
                (state.connection, state.start) = (.connected, .call)
                state.peer = Participant(username: "Bob", role: .callee)
                state.returnReason = .callMissed("Bob")
            }
            bench.show(.room(room))
            let host = bench.window.screenHost
            let screen = try #require(host.shownView as? RoomScreen)
            let notice = try #require(screen.notice(host.ui, room.store.state))
            let banner = host.ui.bannerPlace(width: 460, notice.text, hasAction: false)
            let mini = try #require(host.pane?.box)
            #expect(banner.box.bottom > host.ui.pageArea.height - 30 && banner.strip < 120)
            #expect(!mini.intersects(banner.box))
            // The button at the end of the page can be scrolled into view above both.
            bench.tab(to: "room.start")
            let button = try #require(host.ui.places["room.start"])
            #expect(button.bottom <= banner.box.y)
        }

        @Test(
            "In a narrow window with large text, a control focused with Tab is not covered by the mini player"
        )
        func narrow() async throws {
            let bench = try await ScreenBench(width: 480, height: 854, hasBar: true, player: player)
            bench.settings.send(.setTextScale(2))
            let room = try await bench.room { $0.start = .call }
            let login = await bench.login()
            let settings = try #require(bench.shell?.settings.model)
            for (screen, controls) in [
                (.calls(.room(room)), ["room.connect", "room.start"]),
                (.calls(.login(login)), ["login.room"]),
                (.settings(settings), ["settings.text"]),
            ] as [(Screen, [ControlID])] {
                bench.show(screen)
                let host = bench.window.screenHost
                for _ in 0..<60 {
                    bench.press(.tab(isBackwards: false))
                    bench.settle()
                    guard let focused = host.ui.focus.focused, let place = host.ui.places[focused] else {
                        continue
                    }
                    let isOfPage = controls.contains { focused.name.hasPrefix($0.name) }
                    let mini = try #require(host.pane?.box)
                    if isOfPage { #expect(!place.intersects(mini), "\(focused.name)") }
                }
            }
        }

        @Test("The video has rounded corners even if its aspect ratio differs from that of its area")
        func corners() async throws {
            let bench = try await ScreenBench(width: 1276, height: 780, hasBar: true, player: player)
            bench.show(.home(try #require(bench.shell?.live?.model)))
            SolidFrame.red.sized(640, 360).show(on: bench.window.liveSink)
            bench.window.hasNewPicture = true
            bench.window.redrawIfNeeded()
            let box = try #require(bench.window.screenHost.pane?.box)
            let photograph = try #require(bench.window.snapshot())
            #expect(!photograph.isNear(255, 0, 0, x: Int(box.x) + 1, y: Int(box.y) + 1))
            #expect(photograph.isNear(255, 0, 0, x: Int(box.right) - 2, y: Int(box.center.y)))
        }

        @Test("After its pause button was clicked, the mini player moves only when it is dragged")
        func pauseAndPress() throws {
            bench.showSettings()
            let (mini, pause) = (try box, try #require(places["live.mini.pause"]))
            bench.click(pause.center.x, pause.center.y)
            bench.handle(.move(Point(mini.x + 20, mini.bottom - 20)))
            bench.handle(.press(Point(mini.x + 20, mini.bottom - 20)))
            bench.handle(.move(Point(mini.x + 21, mini.bottom - 20)))
            bench.settle()
            #expect(try box == mini)
            bench.handle(.release(Point(mini.x + 21, mini.bottom - 20)))
        }

        @Test("Controls covered by the mini player do not react to the pointer")
        func covered() throws {
            bench.showSettings()
            let mini = try box
            let below = try #require(
                places.first { $0.value.intersects(mini) && !$0.key.name.hasPrefix("live.") }
            )
            let x = max(below.value.x, mini.x) + 4
            let y = max(below.value.y, mini.y) + 4
            bench.handle(.move(Point(x, y)))
            let ui = bench.window.screenHost.ui
            ui.occluders = [mini]
            #expect(!ui.isPointer(in: below.value))
            ui.occluders = []
            #expect(ui.isPointer(in: below.value))
        }

        @Test("After another stream is selected, no frame of the previous one is shown")
        func previous() throws {
            player.playback.update { playback in
                (playback.address, playback.state, playback.format) = (
                    .file("/videos/two.mkv"), .loading, nil
                )
            }
            bench.settle()
            #expect(try !isRed(Point(box.center.x, box.y + 60)))
        }

        @Test("The mini player can be dragged to another corner, and stays there")
        func drag() throws {
            bench.showSettings()
            let mini = try box
            let grip = Point(mini.x + 20, mini.bottom - 20)
            bench.handle(.move(grip))
            bench.handle(.press(grip))
            bench.handle(.move(Point(200, 300)))
            bench.handle(.move(Point(40, 200)))
            bench.handle(.move(Point(30, 120)))
            bench.handle(.release(Point(30, 120)))
            bench.settle()
            #expect(try box.x == 12 && box.y == 12)
            bench.show(.home(home))
            bench.showSettings()
            #expect(try box.x == 12 && box.y == 12)
        }

        @Test("The controls of the large video pause it and switch its sound on")
        func controls() async throws {
            bench.isAwake = true
            bench.settle()
            let pause = try #require(places["live.pause"])
            bench.click(pause.center.x, pause.center.y)
            let sign = try #require(places["live.muted"])
            bench.click(sign.center.x, sign.center.y)
            async let played: Void = player.run()
            for await playback in player.playback.states
            where playback.options.isPaused && !playback.options.audio.isMuted { break }
            player.finish()
            await played
        }

        @Test("A click on a recording in the list plays it, and an invalid address is refused")
        func choice() async throws {
            let row = try #require(places[ControlID("home.item \(LiveAddress.file("/videos/two.mkv"))")])
            async let played: Void = player.run()
            bench.click(row.center.x, row.center.y)
            for await playback in player.playback.states where playback.address == .file("/videos/two.mkv") {
                break
            }
            bench.click(
                try #require(places["home.address"]).center.x,
                try #require(places["home.address"]).center.y
            )
            bench.type("ftp://example.org")
            bench.press(.enter)
            #expect(home.store.state.isAddressRefused)
            bench.settle()
            player.finish()
            await played
        }

        @Test("A stream that fails before its first frame is shown at Home only")
        func failure() throws {
            let failure = LiveFailure(.notMedia, "a page")
            player.playback.update { $0.state = .failed(failure) }
            bench.showSettings()
            #expect(try pane.box != nil)
            for state in [LiveState.failed(failure), .notLive(failure)] {
                player.playback.update { ($0.state, $0.format) = (state, nil) }
                bench.show(.home(home))
                #expect(try pane.box != nil)
                bench.showSettings()
                #expect(try pane.box == nil)
            }
        }

        @Test("During a call the stream is not shown")
        func call() async throws {
            let call = await bench.call()
            bench.show(.call(call))
            #expect(try pane.box == nil)
        }
    }
}
