internal import Basics

/// The queues of a call's commands that need the disk or a device.
///
/// Each queue is processed in the order of the clicks. The results are shown on the screen of the call.
struct CallOrders: Sendable {
    private typealias Order = (command: CallsCommand, call: CallViewModel)
    private typealias Queue = (stream: AsyncStream<Order>, continuation: AsyncStream<Order>.Continuation)

    /// The maximum number of commands that wait in each queue; further ones are dropped.
    private static let maximum = 8

    private let files = Self.queue()
    /// A separate queue for devices, as a snapshot may have to wait for a frame.
    private let devices = Self.queue()

    private static func queue() -> Queue {
        AsyncStream.makeStream(of: Order.self, bufferingPolicy: .bufferingOldest(maximum))
    }

    func handle(_ command: CallsCommand, of call: CallViewModel) {
        switch command {
        case .listDevices, .select: devices.continuation.yield((command, call))
        case .startRecording, .stopRecording, .takeSnapshot: files.continuation.yield((command, call))
        case .call, .proceed, .setRole, .switchRole, .visit, .connect, .disconnect, .logout, .quit, .setMuted,
            .setCameraOff, .changeVolume, .status:
            break
        }
    }

    /// Performs the queued commands until the task is cancelled.
    @MainActor func follow(_ flow: CallsFlow) async {
        async let chosen: Void = follow(devices.stream, flow)
        await follow(files.stream, flow)
        await chosen
    }

    @MainActor private func follow(_ orders: AsyncStream<Order>, _ flow: CallsFlow) async {
        // A command given in one call is not performed in the next.
        for await (command, call) in orders where flow.currentScreen == .call(call) {
            await flow.carryOut(command, of: call)
        }
    }
}

extension CallsFlow {
    /// Performs the command of a button and shows the result.
    func carryOut(_ command: CallsCommand, of call: CallViewModel) async {
        let recording = controls.state.recording
        do throws(ControlRefusal) {
            switch (command, try await perform(command, on: .call(call))) {
            case (.takeSnapshot, .file(let path)): call.show(.picture(path))
            case (_, .file(let path)): call.show(.recording(path))
            case (_, .devices(let devices)): call.show(devices, await controls.deviceUse())
            case (.select(_, let kind), _): call.show(kind, nil, await controls.deviceUse())
            case (_, .done): call.show(.recorded(recording ?? ""))
            case (_, .status), (_, .device): break
            }
        } catch {
            guard case .select(_, let kind) = command else { return call.show(.refused(error)) }
            call.show(kind, error, await controls.deviceUse())
        }
    }

    /// Shows which previously selected devices are missing; each is shown once per session in a room.
    func reportMissingDevices(_ missing: [MediaDevice], in call: CallViewModel) {
        let newlyMissing = missing.filter { reportedMissing.insert($0).inserted }
        if !newlyMissing.isEmpty { call.show(.missing(newlyMissing)) }
    }
}
