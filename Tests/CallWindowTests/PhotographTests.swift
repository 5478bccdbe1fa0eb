import Basics
import CSDL
import Foundation
import LiveCore
import Testing

@testable import AppFlow
@testable import CallCore
@testable import CallWindow
@testable import WindowKit

let photographs = ProcessInfo.processInfo.environment["CALLRUNNER_PHOTOGRAPHS"] ?? ""

extension CallWindowTests {
    /// Snapshots of every screen for visual inspection; `CALLRUNNER_PHOTOGRAPHS` names the folder.
    @Suite("Snapshots for inspection", .enabled(if: !photographs.isEmpty))
    @WindowActor struct PhotographTests {
        private static let sizes = [(480, 640), (960, 540)]

        @Test(
            "A snapshot of every screen is saved",
            arguments: AppSettings.Language.allCases,
            [AppSettings.Theme.light, .dark]
        )
        func all(language: AppSettings.Language, theme: AppSettings.Theme) async throws {
            for (width, height) in Self.sizes {
                let bench = try await ScreenBench(
                    width: width,
                    height: height,
                    language: language,
                    hasBar: true,
                    hasAccount: true,
                    hasChat: true,
                    player: LivePlayer(NoStreams())
                )
                bench.settings.send(.setTheme(theme))
                func photograph(_ name: String) throws {
                    try save(bench, as: "\(name)-\(width)-\(language.rawValue)-\(theme.rawValue)")
                }
                try await photographLogin(bench, photograph)
                try await photographRoom(bench, photograph)
                try await photographCall(bench, photograph)
                try photographLive(bench, photograph)
                try photographHome(bench, photograph)
                try photographLibrary(bench, photograph)
                try photographAccount(bench, photograph)
                try photographChats(bench, photograph)
            }
        }

        @Test(
            "A snapshot of every screen is saved at other sizes and with large text",
            arguments: [
                (480, 640, 1.5), (480, 640, 2), (480, 854, 1), (480, 854, 2), (960, 540, 2), (1280, 720, 1),
                (1920, 1080, 2), (3840, 2160, 1),
                (3840, 2160, 2),
            ]
        )
        func large(width: Int, height: Int, scale: Double) async throws {
            let bench = try await ScreenBench(
                width: width,
                height: height,
                language: .ukrainian,
                hasBar: true,
                hasAccount: true,
                hasChat: true,
                player: LivePlayer(NoStreams())
            )
            bench.settings.send(.setTextScale(scale))
            func photograph(_ name: String) throws {
                try save(bench, as: "large-\(width)-\(scale)-\(name)")
            }
            try await photographLogin(bench, photograph)
            try await photographRoom(bench, photograph)
            try await photographCall(bench, photograph)
            try photographLive(bench, photograph)
            try photographHome(bench, photograph)
            try photographLibrary(bench, photograph)
            try photographAccount(bench, photograph)
            try photographChats(bench, photograph)
        }

        @Test(
            "A snapshot of each part of the gallery is saved",
            arguments: [AppSettings.Theme.light, .dark],
            [1.0, 2]
        )
        func gallery(theme: AppSettings.Theme, scale: Double) async throws {
            for (width, height) in [(480, 854), (1280, 720)] {
                let bench = try await ScreenBench(width: width, height: height)
                bench.window.showGallery()
                var settings = AppSettings()
                (settings.theme, settings.textScale) = (theme, scale)
                bench.window.screenHost.set(settings)
                bench.settle()
                for control in ["theme.0", "button.4", "switch.0", "field.0", "field.4", "list"] {
                    bench.tab(to: ControlID("gallery.\(control)"))
                    let name = "gallery-\(width)-\(scale)-\(theme.rawValue)-\(control)"
                    #expect(try #require(bench.window.snapshot()).writeBMP(to: "\(photographs)/\(name).bmp"))
                }
            }
        }

        /// Saves what a window shows when its animations have ended.
        func save(_ bench: ScreenBench, as name: String) throws {
            bench.settle()
            #expect(try #require(bench.window.snapshot()).writeBMP(to: "\(photographs)/\(name).bmp"))
        }

        private func photographLogin(_ bench: ScreenBench, _ photograph: (String) throws -> Void) async throws
        {
            let login = await bench.login()
            bench.show(.login(login))
            try photograph("login-empty")
            login.send(.setUsername("Олена Ґонта"))
            login.send(.setRoom("9007199254740993"))
            bench.press(.tab(isBackwards: false))
            try photograph("login-wrong")
            login.store.update { state in
                state.deletionFailure = StoreFailure(reason: .keyringLocked, message: "", hint: "")
            }
            try photograph("login-deletion-failed")
            login.store.update { $0.deletionFailure = nil }
            login.send(.setRoom("42"))
            bench.press(.tab(isBackwards: false))
            bench.press(.tab(isBackwards: false))
            try photograph("login-ready")
            bench.showSettings()
            try photograph("settings")
            for kind in [MediaDevice.Kind.camera, .microphone, .speaker] {
                bench.settings.send(.setDevice(MediaDevice(kind, id: "gone", name: "Headset of Ann"), kind))
            }
            bench.settings.show([MediaDevice(.microphone, id: "alsa.desk", name: "Desk microphone")])
            bench.tab(to: "settings.language")
            try photograph("settings-bottom")
            bench.press(.space)
            try photograph("settings-languages")
            bench.press(.escape)
            for kind in MediaDevice.Kind.allCases { bench.settings.send(.setDevice(nil, kind)) }
        }

        private func photographRoom(_ bench: ScreenBench, _ photograph: (String) throws -> Void) async throws
        {
            let room = try await bench.room("Ann Lee")
            bench.show(.room(room))
            try photograph("room-disconnected")
            room.store.update { state in
                let url = "http://signaling.example.org:3000"
                let reason = Diagnosis(
                    SignalingFailure.unreachable(url: url, detail: "Connection refused")
                )
                state.connection = .disconnected(RoomLoss(reason: .failed(reason), retryIn: 8))
            }
            try photograph("room-lost")
            room.store.update { $0.connection = .connecting }
            try photograph("room-connecting")
            room.store.update { state in
                state.connection = .connected
                state.isLocal = true
            }
            try photograph("room-local")
            room.store.update { $0.isLocal = false }
            try photograph("room-alone")
            room.store.update { $0.isPartial = true }
            try photograph("room-unreached")
            room.store.update { state in
                state.isPartial = false
                state.isPresenceUnknown = true
                state.start = .callAnyway
            }
            try photograph("room-presence-unknown")
            room.store.update { state in
                state.peer = Participant(username: "Bob Marley", role: .callee)
                state.start = .call
            }
            try photograph("room-peer")
            room.store.update { state in
                state.returnReason = .peerLeft(Participant(username: "Bob Marley", role: .callee))
                state.peer = nil
                state.start = .unavailable
            }
            try photograph("room-left")
            room.store.update { state in
                state.returnReason = nil
                state.rival = Participant(username: "Христина Дуже-Довгопрізвищенко", role: .caller)
            }
            try photograph("room-rival")
            room.store.update { state in
                let taken = Diagnosis(SignalingFailure.roleTaken)
                state.connection = .disconnected(RoomLoss(reason: .failed(taken)))
                state.rival = nil
            }
            try photograph("room-taken")
            room.store.update { state in
                state.connection = .connecting
                state.peer = Participant(username: "Bob Marley", role: .callee)
            }
            try photograph("room-unknown")
            room.store.update { state in
                state.connection = .connected
                state.returnReason = .callMissed("Bob Marley")
            }
            try photograph("room-missed")
            room.store.update { state in
                state.role = .callee
                state.peer = Participant(username: "Bob Marley", role: .caller)
                state.start = .awaitOffer
            }
            try photograph("room-callee")
            room.store.update { ($0.isManaged, $0.isArmed) = (true, true) }
            try photograph("room-armed")
            room.store.update { $0.isArmed = false }
            room.store.update { $0.controls.isCameraOff = true }
            try photograph("room-camera-off")
            room.store.update { $0.ring = RoomState.Ring(peer: "Олена Ґонта") }
            try photograph("room-ring")
            room.store.update { $0.ring = RoomState.Ring(peer: "Володимира Бойко-Кравченко") }
            try photograph("room-ring-long")
        }

        private func photographHome(_ bench: ScreenBench, _ photograph: (String) throws -> Void) throws {
            let live = try #require(bench.shell?.live)
            let address = LiveAddress.file("/videos/one.mp4")
            let items: [LiveItem] = [.sample(address)] + Self.recordings.map(LiveItem.recording)
            live.player.playback.update {
                $0.state = .empty
                $0.address = nil
            }
            bench.show(.home(live.model))
            try photograph("home-starting")
            live.model.begin([])
            bench.settle()
            try photograph("home-empty")
            live.player.playback.update { $0.address = address }
            live.model.show(items)
            ScreenBench.play(live.player, isLive: false)
            SolidFrame.red.sized(640, 360).show(on: bench.window.liveSink)
            bench.window.hasNewPicture = true
            bench.window.redrawIfNeeded()
            bench.isAwake = true
            try photograph("home")
            live.player.playback.update { $0.options.audio.isMuted = true }
            live.player.playback.update {
                $0.state = .offline(
                    LiveFailure(.unreachable, "the server was not reached"),
                    retryIn: .seconds(4)
                )
            }
            try photograph("home-offline")
            live.player.playback.update { playback in
                playback.address = .url("http://signaling.example.org:3000/stream.m3u8")
                let failure = LiveFailure(.unreachable, "refused", cause: .connectionRefused)
                playback.state = .offline(failure, retryIn: .seconds(4))
            }
            try photograph("home-refused")
            live.player.playback.update { $0.state = .loading }
            try photograph("home-loading")
            live.player.playback.update { $0.address = address }
            bench.showSettings()
            try photograph("home-mini-offline")
            ScreenBench.play(live.player, isLive: false)
            try photograph("home-mini")
            live.player.playback.update { $0.address = nil }
        }

        private func photographLive(_ bench: ScreenBench, _ photograph: (String) throws -> Void) throws {
            bench.isAwake = true
            defer { bench.isAwake = false }
            for side in MediaSide.allCases { bench.window.clear(side) }
            let player = bench.showLive()
            try photograph("live-loading")
            photographed(bench.window.sink)
            bench.settle()
            ScreenBench.play(player)
            try photograph("live-playing")
            player.playback.update { $0.progress.behind = .seconds(9) }
            player.playback.update { $0.options.audio.isMuted = true }
            try photograph("live-late")
            let failure = LiveFailure(
                .unreachable,
                "Could not connect to stream.example.org: Connection refused"
            )
            player.playback.update { $0.state = .offline(failure, retryIn: .seconds(4)) }
            try photograph("live-offline")
            player.playback.update { $0.state = .buffering }
            try photograph("live-buffering")
            player.playback.update { $0.state = .ended }
            try photograph("live-ended")
            ScreenBench.play(player, isLive: false)
            player.playback.update { $0.state = .paused }
            try photograph("live-film")
        }

        private func photographCall(_ bench: ScreenBench, _ photograph: (String) throws -> Void) async throws
        {
            let call = await bench.call("Bob Marley", .awaitingAnswer)
            bench.show(.call(call))
            try photograph("call-waiting")
            call.store.update { state in
                state.call = .connected
                state.heldSince = .now - .seconds(83)
                state.path = "host→prflx"
                state.source = SourceCaption(name: "webRtcTestVideo.mp4", reason: "no camera")
                var statistics = CallStatistics()
                statistics.videoIn = .init()
                statistics.videoIn?.width = 1280
                statistics.videoIn?.height = 720
                statistics.videoIn?.fps = 29.9
                statistics.videoIn?.bitrate = 1_520_000
                statistics.videoOut = .init()
                statistics.videoOut?.codec = "H264"
                statistics.videoOut?.fps = 30
                statistics.videoOut?.bitrate = 1_480_000
                statistics.audioIn = .init()
                statistics.audioIn?.codec = "OPUS"
                statistics.audioIn?.bitrate = 64000
                statistics.rttMs = 12.4
                state.statistics = statistics
            }
            photographed(bench.window.sink)
            SolidFrame.blue.sized(640, 360).show(on: bench.window.sink, from: .local)
            bench.settle()
            try photograph("call-bare")
            bench.handle(.move(Point(200, 200)))
            try takeAwake(bench, photograph, "call-controls")
            call.store.update { $0.controls.isMuted = true }
            call.store.update { $0.controls.recording = "call.mkv" }
            bench.window.show(.calls(.call(call)), settings: bench.settings)
            bench.handle(.key(.tab(isBackwards: false)))
            bench.handle(.key(.tab(isBackwards: false)))
            (bench.window.screenHost.shownView as? CallScreen)?.statistics.isOpen = true
            try takeAwake(bench, photograph, "call-statistics")
            try photograph("call-recorded")
            bench.press(.tab(isBackwards: false))
            (bench.window.screenHost.shownView as? CallScreen)?.choosesDevices = true
            call.store.update { state in
                let name = "USB Audio Class 2.0 Headset with a very long name, Analog Stereo"
                state.devices.present = [MediaDevice(.speaker, id: "usb", name: name)]
                state.devices.use.used = [MediaDevice(.speaker, id: "usb", name: name)]
                state.devices.use.selectable = [.speaker, .camera]
                state.devices.refusals[.speaker] = ControlRefusal(code: "no-device", message: "")
            }
            try photograph("call-devices")
            call.store.update { state in
                state.devices.present = (1...30).map { number in
                    MediaDevice(.speaker, id: "\(number)", name: "Loudspeaker number \(number)")
                }
                state.devices.use.used = [MediaDevice(.speaker, id: "20", name: "")]
            }
            bench.settle()
            bench.click("devices.speaker")
            try photograph("call-menu")
            bench.press(.escape)
            (bench.window.screenHost.shownView as? CallScreen)?.choosesDevices = false
            try await photographPeer(bench, call, photograph)
            call.store.update { state in
                state.call = .retrying(.init(attempt: 2, delay: .seconds(1), reason: "lost"))
                state.controls.isCameraOff = true
            }
            bench.window.scene.isCameraOn = false
            try photograph("call-retrying")
        }

        /// Takes snapshots of the states of the peer's media.
        private func photographPeer(
            _ bench: ScreenBench,
            _ call: CallViewModel,
            _ photograph: (String) throws -> Void
        ) async throws {
            call.store.update { state in
                state.peerMedia = MediaState()
                state.peerMedia?.isRecording = true
                state.peerMedia?.sendsAudio = false
            }
            // `settle` is not used, because the notice would disappear during it.
            await call.show(.unaware)
            bench.window.screenHost.handle(.other, scale: 1, now: bench.now)
            bench.now += 1
            bench.window.screenHost.touch()
            bench.window.redrawIfNeeded()
            let scale = bench.settings.store.state.settings.textScale
            let snapshot = try #require(bench.window.snapshot())
            #expect(snapshot.writeBMP(to: "\(photographs)/notice-\(snapshot.width)-\(scale).bmp"))
            (bench.window.screenHost.shownView as? CallScreen)?.statistics.isOpen = false
            try photograph("call-peer-recording")
            call.store.update { $0.peerMedia?.sendsVideo = false }
            try photograph("call-peer-camera-off")
            call.store.update { state in
                state.peerMedia = MediaState()
                state.peerMedia?.isHolding = true
            }
            try photograph("call-peer-holding")
            call.store.update { $0.peerMedia = nil }
        }

        /// Takes a snapshot while the controls are visible.
        private func takeAwake(_ bench: ScreenBench, _ photograph: (String) throws -> Void, _ name: String)
            throws
        {
            bench.isAwake = true
            try photograph(name)
            bench.isAwake = false
        }

        /// Shows a remote frame with a gradient of brightness.
        private func photographed(_ sink: any VideoSink) {
            let (width, height) = (1280, 720)
            var y = [UInt8](repeating: 0, count: width * height)
            for row in 0..<height {
                for column in 0..<width {
                    y[row * width + column] = UInt8(40 + row * 120 / height + column * 60 / width)
                }
            }
            let u = [UInt8](repeating: 118, count: width * height / 4)
            let v = [UInt8](repeating: 142, count: width * height / 4)
            let memory = FrameMemory([y, u, v])
            let strides = [width, width / 2, width / 2]
            let frame = VideoFrame(
                .i420,
                Resolution(width: width, height: height),
                planes: zip(memory.parts, strides).map { VideoFrame.Plane($0, stride: $1) },
                owner: memory
            )
            if let frame { sink.show(frame, from: .remote) }
        }
    }
}
