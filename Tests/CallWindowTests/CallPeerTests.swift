import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Display of the peer's media state")
    @WindowActor struct CallPeerTests {
        private let bench: ScreenBench

        init() async throws { bench = try await ScreenBench(width: 960, height: 540) }

        private var ui: Interface { bench.window.screenHost.ui }

        private var screen: CallScreen {
            get throws { try #require(bench.window.screenHost.shownView as? CallScreen) }
        }

        private func showCall(_ media: MediaState?) async -> CallViewModel {
            let call = await bench.call { state in
                state.heldSince = .now
                state.peerMedia = media
            }
            bench.show(.call(call))
            SolidFrame.red.sized(640, 360).show(on: bench.window.sink)
            SolidFrame.blue.sized(320, 180).show(on: bench.window.sink, from: .local)
            bench.window.needsRedraw = true
            bench.window.redrawIfNeeded()
            bench.settle()
            return call
        }

        private func peerCard(of call: CallViewModel) -> PeerCard {
            PeerCard(state: call.store.state, video: bench.window.screenHost.video)
        }

        private func state(_ change: (inout MediaState) -> Void) -> MediaState {
            var state = MediaState()
            change(&state)
            return state
        }

        @Test("A card replaces the video when the peer turns off its camera or puts the call on hold")
        func card() async throws {
            let call = await showCall(MediaState())
            func isVideoShown() throws -> Bool {
                try #require(bench.window.snapshot()).isNear(255, 0, 0, x: 40, y: 270)
            }
            #expect(try isVideoShown() && !screen.isAwake)
            let states = [state { $0.sendsVideo = false }, state { $0.isHolding = true }]
            for (media, words) in zip(states, ["call.peer.camera-off", "call.peer.holding"]) {
                call.store.update { $0.peerMedia = media }
                bench.settle()
                #expect(try !isVideoShown() && screen.isAwake)
                let tile = try #require(bench.window.screenHost.localTile)
                let snapshot = try #require(bench.window.snapshot())
                #expect(snapshot.isNear(0, 0, 255, x: tile.x + tile.width / 2, y: tile.y + 20))
                #expect(peerCard(of: call).sentence(ui) == ui.strings[words])
                #expect(peerCard(of: call).mark != nil)
                call.store.update { $0.peerMedia = MediaState() }
                bench.settle()
                #expect(try isVideoShown())
            }
        }

        @Test("The badge for the peer's recording is visible even while the controls are hidden")
        func recording() async throws {
            let call = await showCall(MediaState())
            SolidFrame.green.sized(640, 360).show(on: bench.window.sink)
            bench.window.frameArrived()
            bench.settle()
            #expect(PeerSigns(media: call.store.state.peerMedia).row(ui) == nil)
            call.store.update { $0.peerMedia?.isRecording = true }
            bench.settle()
            let row = try #require(PeerSigns(media: call.store.state.peerMedia).row(ui))
            let snapshot = try #require(bench.window.snapshot())
            #expect(try !screen.isAwake)
            #expect(snapshot.isNear(0xC0, 0x1F, 0x28, x: Int(row.x) + 6, y: Int(row.center.y)))
        }

        @Test("The text for missing video depends on whether audio still arrives")
        func silence() async throws {
            let call = await showCall(nil)
            bench.window.pauseTimeout = 0
            call.store.update { state in
                state.statistics = CallStatistics()
                state.statistics?.audioIn = .init()
                state.statistics?.audioIn?.bitrate = 40_000
            }
            bench.settle()
            #expect(peerCard(of: call).sentence(ui) == ui.strings["call.paused"])
            call.store.update { $0.statistics?.audioIn?.bitrate = 0 }
            #expect(peerCard(of: call).sentence(ui) == ui.strings["call.silent"])
        }

        @Test(
            "A notice does not cover the statistics, the buttons or the local video",
            arguments: [(1280, 720, 1.0), (960, 540, 1), (480, 854, 1), (480, 854, 2)]
        )
        func notice(width: Int, height: Int, zoom: Double) async throws {
            let bench = try await ScreenBench(width: width, height: height)
            bench.settings.send(.setTextScale(zoom))
            bench.isAwake = true
            let call = await bench.call { state in
                state.heldSince = .now
                state.peerMedia = MediaState()
                state.peerMedia?.isRecording = true
                state.peerMedia?.sendsAudio = false
                var statistics = CallStatistics()
                (statistics.videoIn, statistics.audioIn) = (.init(), .init())
                (statistics.videoOut, statistics.audioOut) = (.init(), .init())
                state.statistics = statistics
            }
            bench.show(.call(call))
            SolidFrame.blue.sized(320, 180).show(on: bench.window.sink, from: .local)
            bench.window.needsRedraw = true
            bench.window.redrawIfNeeded()
            bench.click("call.statistics")
            bench.settle()
            let ui = bench.window.screenHost.ui
            let screen = try #require(bench.window.screenHost.shownView as? CallScreen)
            let row = CallNotices.place(in: ui)
            #expect(!row.intersects(CallBar.place(in: ui)))
            let panel = try #require(screen.statistics.place)
            #expect(!row.intersects(panel))
            let signs = try #require(PeerSigns(media: call.store.state.peerMedia).row(ui))
            #expect(!signs.intersects(panel) && signs.x >= 0 && signs.right <= ui.area.width)
            if let tile = screen.localTile { #expect(!row.intersects(tile) && !signs.intersects(tile)) }
        }

        @Test("All call buttons are inside a phone-sized window at any text size", arguments: [1, 1.5, 2])
        func buttons(zoom: Double) async throws {
            let bench = try await ScreenBench(width: 480, height: 854)
            bench.settings.send(.setTextScale(zoom))
            bench.show(.call(await bench.call { $0.heldSince = .now }))
            let ui = bench.window.screenHost.ui
            for name in [
                "mute", "camera", "record", "snapshot", "devices", "statistics", "full-screen", "end",
            ] {
                let place = try #require(ui.places[ControlID("call.\(name)")], "\(name)")
                #expect(ui.area.contains(place), "\(name)")
            }
        }
    }
}
