import Basics
import CallCore
import CallTesting
import Testing

@testable import AppFlow

/// Performs a command and returns its result as text, or its error code after an exclamation mark.
private func answer(_ command: CallsCommand, _ flow: CallsFlow) async -> String {
    do {
        switch try await flow.perform(command) {
        case .done: return "done"
        case .file(let path): return path
        case .device(let name): return name
        case .devices(let devices): return devices.map(\.id).joined(separator: " ")
        case .status(let status):
            return [status.state, status.connection, status.peer, status.controls.recording]
                .compactMap(\.self).joined(separator: " ")
        }
    } catch { return "!\(error.code)" }
}

@Suite("Commands from scripts and buttons")
@MainActor
struct ControlFlowTests {
    /// Runs a callee, controlled by `steer`, and ten seconds later a caller whose call lasts ten seconds.
    private func held(
        _ change: @escaping @Sendable (inout CallPlan) -> Void = { _ in },
        caller: @escaping @Sendable (inout CallPlan) -> Void = { $0.options.duration = .seconds(10) },
        _ steer: @escaping @Sendable (CallsFlow, any Clock<Duration>) async -> Void
    ) async throws -> (callee: FlowRecord, caller: FlowRecord) {
        try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let callee = bench.run(
                    try bench.plan(.callee, change),
                    media: bench.media(.callee),
                    steer: steer
                )
                try? await clock.sleep(for: .seconds(10))
                async let caller = bench.run(try bench.plan(.caller, caller), media: bench.media(.caller))
                return try await (callee, caller)
            }
        }.unwrapped()
    }

    @Test("Commands that need a call are performed during a call, else refused", .timeLimit(.minutes(4)))
    func inCall() async throws {
        let record = try await held { flow, clock in
            try? await clock.sleep(for: .seconds(5))
            let early: [(CallsCommand, String)] = [
                (.hangUp, "!no-call"), (.accept, "!not-ringing"), (.decline, "!not-ringing"),
                (.startRecording(path: nil, sides: nil), "!no-call"), (.stopRecording, "!no-call"),
                (.takeSnapshot(path: nil), "!no-call"), (.startCall, "!no-peer"), (.status, "room connected"),
                (.setMuted(true), "done"), (.setCameraOff(true), "done"),
            ]
            for (action, word) in early {
                let reported = await answer(action, flow)
                #expect(reported == word, "\(action)")
            }
            try? await clock.sleep(for: .seconds(8))
            let late: [(CallsCommand, String)] = [
                (.startCall, "!in-call"), (.accept, "!not-ringing"), (.stopRecording, "!not-recording"),
                (.startRecording(path: "a.mkv", sides: nil), "a.mkv"),
                (.startRecording(path: nil, sides: nil), "!already-recording"),
                (.takeSnapshot(path: nil), "!unsupported"), (.hangUp, "done"),
            ]
            for (action, word) in late {
                let reported = await answer(action, flow)
                #expect(reported == word, "\(action)")
            }
            let call = flow.currentScreen
            guard case .call(let model) = call else {
                Issue.record("no call is shown")
                return
            }
            #expect(model.store.state.controls.isMuted && model.store.state.controls.isCameraOff)
        }
        #expect(record.callee.outcome.exit == .success)
        #expect(record.callee.ends == [.hungUp(by: .us)])
    }

    @Test("The status shows a running recording, which ends with the call", .timeLimit(.minutes(4)))
    func recording() async throws {
        _ = try await held {
            $0.stays = true
        } _: { flow, clock in
            try? await clock.sleep(for: .seconds(13))
            #expect(await answer(.startRecording(path: "a.mkv", sides: nil), flow) == "a.mkv")
            try? await clock.sleep(for: .seconds(1))
            #expect(await answer(.status, flow) == "connected Ann a.mkv")
            try? await clock.sleep(for: .seconds(20))
            #expect(await answer(.status, flow) == "room connected")
            flow.leave()
        }
    }

    @Test(
        "A ringing call is accepted or declined by command",
        .timeLimit(.minutes(4)),
        arguments: [true, false]
    )
    func ringing(isAnswered: Bool) async throws {
        let record = try await held {
            $0.options.autoAnswers = false
        } _: { flow, clock in
            try? await clock.sleep(for: .seconds(15))
            #expect(await answer(.status, flow) == "ringing Ann")
            #expect(await answer(isAnswered ? .accept : .decline, flow) == "done")
        }
        #expect(record.callee.ends == [isAnswered ? .peerLeft : .declined(by: .us)])
    }

    @Test("No call is started while another one rings")
    @MainActor func rung() async throws {
        let identity = Identity(username: try Username("Ann"), room: try RoomID(1))
        var state = RoomState(identity: identity, role: .callee)
        (state.start, state.ring) = (.call, RoomState.Ring(peer: "Bob"))
        let flow = try await Simulation.run { clock in
            await withBench(clock) { bench in
                let media = bench.media(.callee)
                return await CallsFlow(
                    plan: try bench.plan(.callee),
                    signaling: bench.wire,
                    media: media
                )
            }
        }.unwrapped()
        let room = RoomViewModel(state, router: flow.router)
        #expect(state.canStartCall)
        await #expect(throws: ControlRefusal.self) {
            _ = try await flow.perform(.startCall, on: .room(room))
        }
    }

    @Test("A caller without automatic dialing starts a call on command", .timeLimit(.minutes(4)))
    func dials() async throws {
        let caller = try await Simulation.run { clock in
            await withBench(clock) { bench in
                async let callee = bench.run(try bench.plan(.callee), media: bench.media(.callee))
                async let caller = bench.run(
                    try bench.plan(.caller) { plan in
                        plan.dialsAutomatically = false
                        plan.options.duration = .seconds(3)
                    },
                    media: bench.media(.caller)
                ) { flow, clock in
                    try? await clock.sleep(for: .seconds(60))
                    #expect(await answer(.startCall, flow) == "done")
                }
                _ = try await callee
                return try await caller
            }
        }.unwrapped()
        #expect(caller.ends == [.duration(.seconds(3))])
    }

    @Test("The quit command ends the call and also a run that stays in the room", .timeLimit(.minutes(4)))
    func leaves() async throws {
        let record = try await held {
            $0.stays = true
        } _: { flow, clock in
            try? await clock.sleep(for: .seconds(13))
            #expect(await answer(.quit, flow) == "done")
        }
        #expect(record.callee.ends == [.hungUp(by: .us)])
    }

    @Test("A notice shows the result of a recording, snapshot or volume command", .timeLimit(.minutes(4)))
    func buttons() async throws {
        _ = try await held { flow, clock in
            try? await clock.sleep(for: .seconds(13))
            guard case .call(let call) = flow.currentScreen else {
                Issue.record("no call is shown")
                return
            }
            let refused = ControlRefusal(code: "unsupported", message: "snapshots are not supported here")
            let record = CallsCommand.startRecording(path: nil, sides: nil)
            let presses: [(CallsCommand, SavedNotice.Content)] = [
                (record, .recording("1.mkv")), (.stopRecording, .recorded("1.mkv")),
                (record, .recording("2.mkv")), (.takeSnapshot(path: nil), .refused(refused)),
                (.changeVolume(isLouder: true), .volume(110)),
                (.changeVolume(isLouder: false), .volume(100)),
            ]
            for (number, (command, content)) in presses.enumerated() {
                let isRecording = call.store.state.controls.recording != nil
                #expect(command != record || !isRecording && call.store.state.recordingCommand == record)
                call.send(command)
                try? await clock.sleep(for: .seconds(1))
                let notice = call.store.state.notice
                #expect(notice?.content == content && notice?.number == number + 1)
            }
            #expect(call.store.state.controls.recording == "2.mkv")
        }
    }
}
