internal import CallCore

/// What the buttons of calls want of media, done in the order of the clicks, and shown on the screen of their call.
struct CallOrders: Sendable {
    private typealias Order = (action: ControlAction, call: CallViewModel)
    private typealias Queue = (stream: AsyncStream<Order>, continuation: AsyncStream<Order>.Continuation)

    /// Of buttons that were pressed while a disk or the peer was waited for.
    private static let most = 8

    private let files = Self.queue()
    /// On their own, because a picture may be waited for.
    private let devices = Self.queue()

    private static func queue() -> Queue {
        AsyncStream.makeStream(of: Order.self, bufferingPolicy: .bufferingOldest(most))
    }

    func handle(_ action: ControlAction, of call: CallViewModel) {
        switch action {
        case .devices, .select: devices.continuation.yield((action, call))
        case .setMuted, .setCameraOff, .startRecording, .stopRecording, .takeSnapshot, .hangUp, .leave,
            .accept,
            .decline, .startCall, .status:
            files.continuation.yield((action, call))
        }
    }

    /// Carries out what is taken, until the task is cancelled.
    @MainActor func follow(_ coordinator: AppCoordinator) async {
        async let chosen: Void = follow(devices.stream, coordinator)
        await follow(files.stream, coordinator)
        await chosen
    }

    @MainActor private func follow(_ orders: AsyncStream<Order>, _ coordinator: AppCoordinator) async {
        // What was wanted of one call is not done in the next.
        for await (action, call) in orders where coordinator.currentScreen == .call(call) {
            await coordinator.carryOut(action, of: call)
        }
    }
}

extension AppCoordinator {
    /// Does what a button wants, and shows what became of it.
    func carryOut(_ action: ControlAction, of call: CallViewModel) async {
        let recording = controls.recording
        do throws(ControlRefusal) {
            switch (action, try await perform(action, on: .call(call))) {
            case (.takeSnapshot, .file(let path)): call.show(.picture(path))
            case (_, .file(let path)): call.show(.recording(path))
            case (_, .devices(let devices)): call.show(devices, await media?.deviceUse() ?? DeviceUse())
            case (.select(_, let kind), _): call.show(kind, nil, await media?.deviceUse() ?? DeviceUse())
            case (_, .done): call.show(.recorded(recording ?? ""))
            case (_, .status), (_, .device): break
            }
        } catch {
            guard case .select(_, let kind) = action else { return call.show(.refused(error)) }
            call.show(kind, error, await media?.deviceUse() ?? DeviceUse())
        }
    }

    /// Says, once in a stay, which devices chosen earlier are not there.
    func tellMissingDevices(_ missing: [CallDevice], in call: CallViewModel) {
        let news = missing.filter { toldMissing.insert($0).inserted }
        if !news.isEmpty { call.show(.missing(news)) }
    }
}
