import CSDL
import Foundation
import Testing

@testable import CallCore
@testable import CallFlow
@testable import CallWindow

private let folder = ProcessInfo.processInfo.environment["CALLRUNNER_PHOTOGRAPHS"] ?? ""

extension CallWindowTests {
    /// Snapshots of every screen for visual inspection; `CALLRUNNER_PHOTOGRAPHS` names the folder.
    @Suite("Snapshots for inspection", .enabled(if: !folder.isEmpty))
    @WindowActor struct PhotographTests {
        private static let sizes = [(480, 640), (960, 540)]

        @Test(
            "A snapshot of every screen is saved",
            arguments: AppSettings.Language.allCases,
            [AppSettings.Theme.light, .dark]
        )
        func all(language: AppSettings.Language, theme: AppSettings.Theme) async throws {
            for (width, height) in Self.sizes {
                let stage = try await ScreenBench(width: width, height: height, language: language)
                stage.settings.send(.setTheme(theme))
                func take(_ name: String) throws {
                    stage.settle()
                    let path = "\(folder)/\(name)-\(width)-\(language.rawValue)-\(theme.rawValue).bmp"
                    #expect(try #require(stage.window.snapshot()).writeBMP(to: path))
                }
                try await photographLogin(stage, take)
                try await photographRoom(stage, take)
                try await photographCall(stage, take)
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
            let stage = try await ScreenBench(width: width, height: height, language: .ukrainian)
            stage.settings.send(.setTextScale(scale))
            func take(_ name: String) throws {
                stage.settle()
                let path = "\(folder)/large-\(width)-\(scale)-\(name).bmp"
                #expect(try #require(stage.window.snapshot()).writeBMP(to: path))
            }
            try await photographLogin(stage, take)
            try await photographRoom(stage, take)
            try await photographCall(stage, take)
        }

        private func photographLogin(_ stage: ScreenBench, _ take: (String) throws -> Void) async throws {
            let login = await stage.login()
            stage.show(.login(login))
            try take("login-empty")
            login.send(.setUsername("Олена Ґонта"))
            login.send(.setRoom("9007199254740993"))
            stage.press(.tab(isBackwards: false))
            try take("login-wrong")
            login.store.update { state in
                state.unforgotten = AppMemoryFailure(reason: .keyringLocked, message: "", hint: "")
            }
            try take("login-unforgotten")
            login.store.update { $0.unforgotten = nil }
            login.send(.setRoom("42"))
            stage.press(.tab(isBackwards: false))
            stage.press(.tab(isBackwards: false))
            try take("login-ready")
            stage.click("settings.open")
            try take("settings")
            stage.click("settings.language")
            try take("settings-languages")
            stage.press(.escape)
            stage.press(.escape)
        }

        private func photographRoom(_ stage: ScreenBench, _ take: (String) throws -> Void) async throws {
            let room = try await stage.room("Ann Lee")
            stage.show(.room(room))
            try take("room-disconnected")
            room.store.update { state in
                let url = "http://signaling.example.org:3000"
                let reason = Diagnosis(
                    SignalingFailure.unreachable(url: url, detail: "Connection refused")
                )
                state.connection = .disconnected(RoomLoss(reason: .failed(reason), retryIn: 8))
            }
            try take("room-lost")
            room.store.update { $0.connection = .connecting }
            try take("room-connecting")
            room.store.update { state in
                state.connection = .connected
                state.isLocal = true
            }
            try take("room-local")
            room.store.update { $0.isLocal = false }
            try take("room-alone")
            room.store.update { $0.isPartial = true }
            try take("room-unreached")
            room.store.update { state in
                state.isPartial = false
                state.isUntold = true
                state.start = .callAnyway
            }
            try take("room-untold")
            room.store.update { state in
                state.peer = Participant(username: "Bob Marley", role: .callee)
                state.start = .call
                state.returnReason = .peerLeft(Participant(username: "Bob Marley", role: .callee))
            }
            try take("room-peer")
            room.store.update { state in
                state.returnReason = nil
                state.peer = nil
                state.start = .unavailable
                state.rival = Participant(username: "Христина Дуже-Довгопрізвищенко", role: .caller)
            }
            try take("room-rival")
            room.store.update { state in
                let taken = Diagnosis(SignalingFailure.roleTaken)
                state.connection = .disconnected(RoomLoss(reason: .failed(taken)))
                state.rival = nil
            }
            try take("room-taken")
            room.store.update { state in
                state.connection = .connecting
                state.peer = Participant(username: "Bob Marley", role: .callee)
            }
            try take("room-unknown")
            room.store.update { state in
                state.connection = .connected
                state.returnReason = .callMissed("Bob Marley")
            }
            try take("room-missed")
            room.store.update { $0.ring = RoomState.Ring(peer: "Олена Ґонта") }
            try take("room-ring")
        }

        private func photographCall(_ stage: ScreenBench, _ take: (String) throws -> Void) async throws {
            let call = await stage.call("Bob Marley", .awaitingAnswer)
            stage.show(.call(call))
            try take("call-waiting")
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
            photographed(stage.window.sink)
            SolidFrame.blue.sized(640, 360).show(on: stage.window.sink, from: .local)
            stage.settle()
            try take("call-bare")
            stage.handle(.move(Point(200, 200)))
            try takeAwake(stage, take, "call-controls")
            call.store.update { $0.controls.isMuted = true }
            call.store.update { $0.controls.recording = "call.mkv" }
            stage.window.show(.call(call), settings: stage.settings)
            stage.handle(.key(.tab(isBackwards: false)))
            stage.handle(.key(.tab(isBackwards: false)))
            (stage.window.stage.shownView as? CallScreen)?.statistics.isOpen = true
            try takeAwake(stage, take, "call-statistics")
            try take("call-recorded")
            stage.press(.tab(isBackwards: false))
            (stage.window.stage.shownView as? CallScreen)?.choosesDevices = true
            call.store.update { state in
                let name = "USB Audio Class 2.0 Headset with a very long name, Analog Stereo"
                state.devices.present = [CallDevice(.speaker, id: "usb", name: name)]
                state.devices.use.used = [CallDevice(.speaker, id: "usb", name: name)]
                state.devices.use.selectable = [.speaker, .camera]
                state.devices.refusals[.speaker] = ControlRefusal(code: "no-device", message: "")
            }
            try take("call-devices")
            call.store.update { state in
                state.devices.present = (1...30).map { number in
                    CallDevice(.speaker, id: "\(number)", name: "Loudspeaker number \(number)")
                }
                state.devices.use.used = [CallDevice(.speaker, id: "20", name: "")]
            }
            stage.settle()
            stage.click("devices.speaker")
            try take("call-menu")
            stage.press(.escape)
            (stage.window.stage.shownView as? CallScreen)?.choosesDevices = false
            try await photographPeer(stage, call, take)
            call.store.update { state in
                state.call = .retrying(.init(attempt: 2, delay: .seconds(1), reason: "lost"))
                state.controls.isCameraOff = true
            }
            stage.window.scene.isCameraOn = false
            try take("call-retrying")
        }

        /// Takes snapshots of the states of the peer's media.
        private func photographPeer(
            _ stage: ScreenBench,
            _ call: CallViewModel,
            _ take: (String) throws -> Void
        ) async throws {
            call.store.update { state in
                state.peerMedia = MediaState()
                state.peerMedia?.isRecording = true
                state.peerMedia?.sendsAudio = false
            }
            // Not with `settle`, which would let the time of the notice pass.
            await call.show(.unaware)
            stage.window.stage.handle(.other, scale: 1, now: stage.now)
            stage.now += 1
            stage.window.stage.touch()
            stage.window.redrawIfNeeded()
            let scale = stage.settings.store.state.settings.textScale
            let snapshot = try #require(stage.window.snapshot())
            #expect(snapshot.writeBMP(to: "\(folder)/notice-\(snapshot.width)-\(scale).bmp"))
            (stage.window.stage.shownView as? CallScreen)?.statistics.isOpen = false
            try take("call-peer-recording")
            call.store.update { $0.peerMedia?.sendsVideo = false }
            try take("call-peer-camera-off")
            call.store.update { state in
                state.peerMedia = MediaState()
                state.peerMedia?.isHolding = true
            }
            try take("call-peer-holding")
            call.store.update { $0.peerMedia = nil }
        }

        /// Takes a snapshot before the controls fade again.
        private func takeAwake(_ stage: ScreenBench, _ take: (String) throws -> Void, _ name: String) throws {
            stage.isAwake = true
            try take(name)
            stage.isAwake = false
        }

        /// Shows a frame with some light and shade.
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
