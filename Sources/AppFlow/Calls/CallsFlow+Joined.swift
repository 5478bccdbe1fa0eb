internal import Basics
internal import CallCore

// The joined room: its services, and the step that follows its end.

extension CallsFlow {
    /// The command with which the user ended the session in the room.
    enum Departure: Hashable, Sendable {
        case disconnect, switchRole, logout, quit
        case visit(RoomVisit)
    }

    /// The error codes that are not worth an automatic retry.
    private static let refusals: Set = [
        "room-full", "role-taken", "not-authorized", "forbidden", "refused", "bad-event",
        "event-too-large", "not-socket-io", "bad-server", "foreign-server",
    ]
    private static let waits = [2, 4, 8, 16, 30]

    /// Joins the room with the app's current settings.
    func join() async -> Step? {
        guard let state = room?.store.state else { return .login }
        room?.store.update { [settings] in $0.isLocal = settings.store.state.effective.isLocal }
        var plan = CallPlan(identity: state.identity, role: state.role)
        plan.stays = true
        plan.isManaged = true
        plan.dialsAutomatically = false
        plan.options.leavesRoom = false
        return await joinRoom(plan)
    }

    /// Runs a session in the room, from joining until the room has been left.
    func joinRoom(_ plan: CallPlan) async -> Step? {
        if plan.isManaged { room?.connecting(as: plan.role) }
        let inputs: RoomSession.Inputs = AsyncStream.makeStream()
        let departure = StateStore<Departure?>(nil)
        router.connect { [controls] command in
            guard !controls.perform(command) else { return }
            switch command {
            case .call(let command): inputs.continuation.yield(.command(command))
            case .disconnect, .switchRole, .logout, .quit:
                // A logout is final, even if another command follows while the room is being left.
                departure.update { if $0 != .logout { $0 = Departure(command) } }
                inputs.continuation.yield(.command(.leave))
            case .visit where plan.isManaged && !plan.isVisit:
                departure.update { if $0 == nil { $0 = Departure(command) } }
                inputs.continuation.yield(.command(.leave))
            default: break
            }
        }
        defer { router.disconnect() }
        let loss = StateStore<RoomLoss?>(nil)
        do {
            let set = settings.store.state
            let (services, identity) = (services, plan.identity)
            try await services.withServices(set.effective, token: set.token, for: identity) {
                await self.hold(plan, $0, $1, inputs, loss)
            }
        } catch {
            let diagnosis = error as? Diagnosis ?? Diagnosis(SignalingFailure.refused("\(error)"))
            fail(diagnosis)
            loss.update { $0 = RoomLoss(reason: .failed(diagnosis)) }
        }
        guard plan.isManaged else { return nil }
        clearError()
        switch departure.state {
        case .quit: return nil
        case .logout:
            let next = logOut()
            return router.isQuitting.state ? nil : next
        case .disconnect: return .disconnected(nil)
        case .switchRole:
            switchRole()
            return .joined(nil)
        case .visit(let visit) where visit == waitingVisit: return .visiting(visit, rejoins: true)
        case .visit: return .joined(nil)
        case nil: return Task.isCancelled ? nil : .disconnected(loss.state.map(retried))
        }
    }

    private func hold(
        _ plan: CallPlan,
        _ signaling: any SignalingService,
        _ media: any MediaService,
        _ inputs: RoomSession.Inputs,
        _ loss: StateStore<RoomLoss?>
    ) async {
        reportedMissing = []
        let volume = controls.state.volume
        await controls.connect(media)
        defer { controls.disconnect() }
        await withTaskGroup(of: Void.self) { group in
            // Runs while the room is being joined, so that no peer has to wait for the preparation.
            group.addTask {
                _ = inputs.continuation.yield(.mediaPrepared(await Self.failure(ofPreparing: media)))
            }
            group.addTask {
                await self.controls.follow { inputs.continuation.yield(.ownMedia($0)) }
            }
            group.addTask { await self.showControls(from: volume) }
            group.addTask { await self.followDevices(of: media) }
            group.addTask {
                for await change in media.ownMedia { inputs.continuation.yield(.ownMedia(change)) }
            }
            let orders = CallOrders()
            group.addTask { await orders.follow(self) }
            do {
                try await signaling.withRoom(plan.identity, role: plan.role) { channel in
                    let reason = await self.stay(plan, channel, media, inputs, orders)
                    loss.update { $0 = reason }
                }
            } catch is CancellationError {
            } catch {
                let diagnosis = Diagnosis(error as? SignalingFailure ?? .refused("\(error)"))
                fail(diagnosis)
                loss.update { $0 = RoomLoss(reason: .failed(diagnosis)) }
            }
            if !plan.isManaged { report(.closing) }
            group.cancelAll()
        }
    }

    /// Shows the state of the controls on each screen, and reports each change of the volume, which was
    /// `volume` before.
    private func showControls(from volume: Int) async {
        var shown = volume
        for await _ in controls.states {
            // A screen shows its own change before it sends the command. An older state would undo that
            // change, so the newest state is read while the screen's state is locked.
            room?.store.update { [controls] in $0.controls = controls.state }
            if case .call(let call) = currentScreen {
                call.store.update { [controls] in $0.controls = controls.state }
            }
            let volume = controls.state.volume
            guard volume != shown else { continue }
            shown = volume
            report(.volume(volume))
            if case .call(let call) = currentScreen { call.show(.volume(volume)) }
        }
    }

    /// Switches to the devices that the user selects in the settings, until the task is cancelled.
    private func followDevices(of media: any MediaService) async {
        var known = settings.store.state.settings.devices
        for await state in settings.store.states {
            let devices = state.settings.devices
            for kind in MediaDevice.Kind.allCases where devices[kind] != known[kind] {
                let id = devices[kind]?.id ?? MediaDevice.standard
                let use = await media.deviceUse()
                // A selection in the call is already in use, and a source that is a file uses no camera.
                guard use.selectable.contains(kind), use.used(kind)?.id != id else { continue }
                _ = try? await media.select(id, as: kind)
            }
            known = devices
        }
    }

    private func stay(
        _ plan: CallPlan,
        _ channel: any SignalingChannel,
        _ media: any MediaService,
        _ inputs: RoomSession.Inputs,
        _ orders: CallOrders
    ) async -> RoomLoss? {
        let events = eventsContinuation
        let observer = RoomObserver(plan, events: events)
        let channel =
            plan.reportsSignals
            ? ObservedChannel(channel: channel) { events.yield(.signal(.sent, $0)) } : channel
        var presence = PresenceTracker(
            role: plan.role,
            username: plan.identity.username.value,
            signalingTimeout: plan.stays ? nil : plan.signalingTimeout
        )
        let controls = controls.state
        presence.ownMedia = OwnMedia(isMuted: controls.isMuted, isCameraOff: controls.isCameraOff)
        return await RoomSession.run(
            presence,
            channel: channel,
            media: media,
            clock: clock,
            inputs: inputs,
            observe: observer.handle
        ) { room in
            await RoomController(flow: self, plan: plan, media: media, orders: orders).run(in: &room)
        }
    }

    /// Adds the delay of the next attempt to a loss, if a retry may help.
    private func retried(_ loss: RoomLoss) -> RoomLoss {
        if case .failed(let diagnosis) = loss.reason,
            Self.refusals.contains(diagnosis.code) || diagnosis.exit != .signalingFailed
        {
            return loss
        }
        defer { losses += 1 }
        return RoomLoss(reason: loss.reason, retryIn: Self.waits[min(losses, Self.waits.count - 1)])
    }

    private nonisolated static func failure(ofPreparing media: any MediaService) async -> CallMediaFailure? {
        do {
            try await media.prepare()
            return nil
        } catch {
            return CallMediaFailure(error, at: "source")
        }
    }
}

extension CallsFlow.Departure {
    fileprivate init?(_ command: CallsCommand) {
        switch command {
        case .disconnect: self = .disconnect
        case .switchRole: self = .switchRole
        case .logout: self = .logout
        case .quit: self = .quit
        case .visit(let visit): self = .visit(visit)
        default: return nil
        }
    }
}
