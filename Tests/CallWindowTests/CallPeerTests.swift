import CSDL
import CallCore
import Testing

@testable import CallFlow
@testable import CallWindow

extension CallWindowTests {
    @Suite("The state of the peer's media")
    @WindowActor struct CallPeerTests {
        private let stage: ScreenBench

        init() async throws { stage = try await ScreenBench(width: 960, height: 540) }

        private var ui: Interface { stage.window.stage.ui }

        private var screen: CallScreen {
            get throws { try #require(stage.window.stage.shownView as? CallScreen) }
        }

        private func showCall(_ media: MediaState?) async -> CallViewModel {
            let call = await stage.call { state in
                state.heldSince = .now
                state.peerMedia = media
            }
            stage.show(.call(call))
            SolidFrame.red.sized(640, 360).show(on: stage.window.sink)
            SolidFrame.blue.sized(320, 180).show(on: stage.window.sink, from: .local)
            stage.window.needsRedraw = true
            stage.window.redrawIfNeeded()
            stage.settle()
            return call
        }

        private func state(_ change: (inout MediaState) -> Void) -> MediaState {
            var state = MediaState()
            change(&state)
            return state
        }

        @Test("A card replaces the last frame when the peer turns off its camera or holds the call")
        func card() async throws {
            let call = await showCall(MediaState())
            func isPictureShown() throws -> Bool {
                try #require(stage.window.snapshot()).isNear(255, 0, 0, x: 40, y: 270)
            }
            #expect(try isPictureShown() && !screen.isAwake)
            let states = [state { $0.sendsVideo = false }, state { $0.isHolding = true }]
            for (media, words) in zip(states, ["call.peer.camera-off", "call.peer.holding"]) {
                call.store.update { $0.peerMedia = media }
                stage.settle()
                #expect(try !isPictureShown() && screen.isAwake)
                let tile = try #require(stage.window.stage.localTile)
                let snapshot = try #require(stage.window.snapshot())
                #expect(snapshot.isNear(0, 0, 255, x: tile.x + tile.width / 2, y: tile.y + 20))
                #expect(PeerCard(state: call.store.state).sentence(ui) == ui.strings[words])
                #expect(PeerCard(state: call.store.state).mark != nil)
                call.store.update { $0.peerMedia = MediaState() }
                stage.settle()
                #expect(try isPictureShown())
            }
        }

        @Test("The recording badge stays visible while the controls are hidden")
        func recording() async throws {
            let call = await showCall(MediaState())
            SolidFrame.green.sized(640, 360).show(on: stage.window.sink)
            stage.window.pictureArrived()
            stage.settle()
            #expect(PeerSigns(media: call.store.state.peerMedia).row(ui) == nil)
            call.store.update { $0.peerMedia?.isRecording = true }
            stage.settle()
            let row = try #require(PeerSigns(media: call.store.state.peerMedia).row(ui))
            let snapshot = try #require(stage.window.snapshot())
            #expect(try !screen.isAwake)
            #expect(snapshot.isNear(0xC0, 0x1F, 0x28, x: Int(row.x) + 6, y: Int(row.center.y)))
        }

        @Test("The text for missing video depends on whether audio still arrives")
        func silence() async throws {
            let call = await showCall(nil)
            stage.window.patience = 0
            call.store.update { state in
                state.statistics = CallStatistics()
                state.statistics?.audioIn = .init()
                state.statistics?.audioIn?.bitrate = 40_000
            }
            stage.settle()
            #expect(PeerCard(state: call.store.state).sentence(ui) == ui.strings["call.paused"])
            call.store.update { $0.statistics?.audioIn?.bitrate = 0 }
            #expect(PeerCard(state: call.store.state).sentence(ui) == ui.strings["call.silent"])
        }

        @Test(
            "A notice covers neither the statistics nor the buttons nor the local video",
            arguments: [(1280, 720, 1.0), (960, 540, 1), (480, 854, 1), (480, 854, 2)]
        )
        func notice(width: Int, height: Int, zoom: Double) async throws {
            let stage = try await ScreenBench(width: width, height: height)
            stage.settings.send(.setTextScale(zoom))
            stage.isAwake = true
            let call = await stage.call { state in
                state.heldSince = .now
                state.peerMedia = MediaState()
                state.peerMedia?.isRecording = true
                state.peerMedia?.sendsAudio = false
                var statistics = CallStatistics()
                (statistics.videoIn, statistics.audioIn) = (.init(), .init())
                (statistics.videoOut, statistics.audioOut) = (.init(), .init())
                state.statistics = statistics
            }
            stage.show(.call(call))
            SolidFrame.blue.sized(320, 180).show(on: stage.window.sink, from: .local)
            stage.window.needsRedraw = true
            stage.window.redrawIfNeeded()
            stage.click("call.statistics")
            stage.settle()
            let ui = stage.window.stage.ui
            let screen = try #require(stage.window.stage.shownView as? CallScreen)
            let row = CallNotices.place(in: ui)
            #expect(!row.intersects(CallBar.place(in: ui)))
            let panel = try #require(screen.statistics.place)
            #expect(!row.intersects(panel))
            let signs = try #require(PeerSigns(media: call.store.state.peerMedia).row(ui))
            #expect(!signs.intersects(panel) && signs.x >= 0 && signs.right <= ui.area.width)
            if let tile = screen.localTile { #expect(!row.intersects(tile) && !signs.intersects(tile)) }
        }

        @Test("All buttons are inside a telephone's window at any text size", arguments: [1, 1.5, 2])
        func buttons(zoom: Double) async throws {
            let stage = try await ScreenBench(width: 480, height: 854)
            stage.settings.send(.setTextScale(zoom))
            stage.show(.call(await stage.call { $0.heldSince = .now }))
            let ui = stage.window.stage.ui
            for name in [
                "mute", "camera", "record", "snapshot", "devices", "statistics", "full-screen", "end",
            ] {
                let place = try #require(ui.places[ControlID("call.\(name)")], "\(name)")
                #expect(ui.area.contains(place), "\(name)")
            }
        }
    }
}
