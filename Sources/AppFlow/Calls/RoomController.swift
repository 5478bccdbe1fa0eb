internal import Basics
internal import CallCore
internal import LiveCore

/// The controller of a session in a room, which alternates between waiting for a call and running it.
@MainActor struct RoomController {
    let flow: CallsFlow
    let plan: CallPlan
    let media: any MediaService
    /// The queues of a call's commands that need the disk or a device.
    let orders: CallOrders

    /// The time after a declined call in which the declining side may rejoin the room, and the other side may repeat
    /// its offer for that reason.
    ///
    /// It covers the one-second wait of the declining side for a confirmation, and its reconnection.
    private static let rejoiningLimit = Duration.seconds(5)

    /// Runs until the plan is fulfilled, the user leaves, the room is lost, media fails, or no peer or offer
    /// arrives in time.
    ///
    /// - Returns: The reason if the room was lost, media failed, or a wait timed out; otherwise nil, also if the task
    ///   is cancelled.
    func run(in room: inout RoomSession) async -> RoomLoss? {
        var waiting = CallTrigger(
            role: plan.role,
            dialsAutomatically: plan.dialsAutomatically,
            trustsNoLeaving: plan.stays && plan.dialsAutomatically,
            endsWhenLost: plan.isManaged
        )
        let visited = plan.visitedPeer.map {
            makeModel($0, plan.role == .caller ? .calling : .awaitingOffer, in: room)
        }
        while true {
            guard var decision = await wait(&waiting, in: &room, shownAs: visited) else { return nil }
            var expected = visited
            if decision == .awaitOffer {
                let model = makeModel(room.presence.peer?.username, .awaitingOffer, in: room)
                guard let next = await awaitOffer(model, &waiting, in: &room) else { continue }
                (decision, expected) = (next, model)
            }
            switch decision {
            case .open(let opening):
                let isLast = !plan.stays && flow.outcome.calls + 1 >= plan.calls
                // A visit ends with a hangup, because a peer that only sees the user leave may wait for a return.
                let result = await call(
                    opening,
                    expected,
                    in: &room,
                    leavesRoom: isLast && !plan.isVisit
                )
                if isLast || result.leavesRoom || Task.isCancelled { return nil }
                if let loss = loss(after: result, in: room) { return loss }
                waiting = resumed(after: result, in: &room)
            case .awaitOffer: continue
            case .leave: return nil
            case .lost(let reason): return RoomLoss(reason: .disconnected(reason))
            case .timedOut(let wait): return fail(diagnosis(of: wait))
            case .mediaFailed(let failure): return fail(Diagnosis(failure))
            case .signalingFailed(let failure): return fail(Diagnosis(failure))
            }
        }
    }

    private func wait(
        _ waiting: inout CallTrigger,
        in room: inout RoomSession,
        shownAs call: CallViewModel?
    ) async -> CallTrigger.Decision? {
        guard let model = flow.room else { return .leave }
        flow.show(call.map { .call($0) } ?? .room(model))
        let decision = await wait(&waiting, in: &room, shownBy: model)
        if model.wasConnected { flow.losses = 0 }
        return decision
    }

    /// Waits until a call can begin or the room must be left; returns nil if the task is cancelled.
    ///
    /// After the room has been joined, the wait for a peer ends after the plan's `peerTimeout`.
    private func wait(
        _ waiting: inout CallTrigger,
        in room: inout RoomSession,
        shownBy model: RoomViewModel
    ) async -> CallTrigger.Decision? {
        model.show(waiting, room.presence)
        var decision = waiting.begin(room.presence)
        var isWaiting = false
        while true {
            if !isWaiting, room.presence.isConnected {
                isWaiting = true
                flow.report(.call(.state(plan.role == .caller ? .idle : .awaitingOffer)))
                if decision == nil, let limit = plan.options.peerTimeout { room.start(.peer, limit) }
            }
            if let decision { return decision }
            guard let input = await room.next() else { return nil }
            // A visit is shown as a call from its beginning, which the user may end.
            if plan.isVisit, input == .command(.hangUp) { return .leave }
            model.note(input, room.presence)
            decision = decide(&waiting, after: input, in: &room)
            model.show(waiting, room.presence)
        }
    }

    private func decide(
        _ waiting: inout CallTrigger,
        after input: RoomInput,
        in room: inout RoomSession
    ) -> CallTrigger.Decision? {
        if let reply = waiting.replyToEndedCall(after: input, room.presence) { room.send(reply) }
        return waiting.handle(input, &room.presence)
    }

    /// Shows the screen of the call, and waits for the offer of the peer that is in the room.
    ///
    /// - Returns: the decision how to continue; nil if the user or the peer no longer wants the call, or if
    ///   the task is cancelled.
    private func awaitOffer(
        _ model: CallViewModel,
        _ waiting: inout CallTrigger,
        in room: inout RoomSession
    ) async -> CallTrigger.Decision? {
        let peer = room.presence.peer
        flow.show(.call(model))
        while let input = await room.next(), input != .command(.hangUp) {
            let decision = decide(&waiting, after: input, in: &room)
            if let decision, decision != .awaitOffer { return decision }
            if room.presence.peer == nil { break }
        }
        let hasLeft = room.presence.peer == nil
        let returnReason = hasLeft ? peer.map(RoomState.ReturnReason.peerLeft) : nil
        flow.room?.returned(returnReason, controls: flow.controls.state)
        return nil
    }

    private func call(
        _ opening: CallStart,
        _ expected: CallViewModel?,
        in room: inout RoomSession,
        leavesRoom: Bool
    ) async -> CallOutcome {
        var options = plan.options
        options.leavesRoom = leavesRoom
        if plan.isManaged {
            let isArmed = flow.room?.disarm() ?? false
            options.autoAnswers = isArmed || flow.settings.store.state.settings.answersAutomatically
        }
        if expected != nil { options.autoAnswers = true }
        let (peer, state) = Self.beginning(of: opening, options)
        if opening != .dialBlindly { room.presence.disarm(.peer) }
        let model = expected ?? makeModel(peer, state, in: room)
        model.begin(peer: peer, call: state)
        // The model of a visit was created before this side's media were known.
        let hasVideo = room.presence.ownMedia.kinds.contains(.video)
        model.store.update { $0.hasOwnVideo = hasVideo }
        // In the app, the user is asked on the room's screen.
        var isAsked = plan.isManaged && state == .ringing
        if isAsked {
            flow.room?.rings(RoomState.Ring(peer: peer))
        } else {
            flow.show(.call(model))
        }
        var record = CallRecord(peer: peer, plan: plan, began: .now, clock: flow.clock)
        await media.announcePeer(peer)
        flow.reportMissingDevices(await media.deviceUse().missing, in: model)
        let result = await CallSession(options: options).run(opening, in: &room) { report in
            model.show(report)
            if isAsked, case .state(.answering) = report {
                isAsked = false
                let controls = flow.controls.state
                model.store.update { $0.controls = controls }
                flow.show(.call(model))
            }
            flow.report(.call(report))
            if let call = record.handle(report) { flow.remember(call) }
        }
        await media.callEnded()
        let isMissed = isAsked && !result.summary.end.isOurDecision
        flow.room?.returned(
            isMissed ? .callMissed(result.summary.peer ?? peer) : .callEnded(result.summary),
            controls: flow.controls.state
        )
        if isMissed { flow.missed.continuation.yield(result.summary.peer ?? peer) }
        flow.remember(record.ended(result.summary, isMissed: isMissed))
        flow.outcome.add(result.summary)
        if plan.isVisit { flow.visitSummary = result.summary }
        if let error = flow.outcome.error { flow.report(.error(error)) }
        return result
    }

    private func makeModel(_ peer: String?, _ state: CallState, in room: RoomSession) -> CallViewModel {
        CallViewModel(
            CallViewModel.State(
                peer: peer,
                call: state,
                controls: flow.controls.state,
                source: flow.source.state,
                hasOwnVideo: room.presence.ownMedia.kinds.contains(.video),
                isManaged: plan.isManaged,
                isIncoming: plan.role == .callee
            ),
            router: flow.router,
            order: { [orders] in orders.handle($0, of: $1) }
        )
    }

    private static func beginning(of opening: CallStart, _ options: CallOptions) -> (String?, CallState) {
        switch opening {
        case .dial(let participant): (participant.username, .calling)
        case .dialBlindly: (nil, .callingBlindly)
        case .incoming(_, let participant):
            (participant?.username, options.autoAnswers ? .answering : .ringing)
        case .unusable(_, let participant): (participant?.username, .awaitingOffer)
        }
    }

    // MARK: - After a call

    private func fail(_ diagnosis: Diagnosis) -> RoomLoss {
        flow.fail(diagnosis)
        return RoomLoss(reason: .failed(diagnosis))
    }

    /// Returns the reason why no further call is possible in this room; nil if one is possible.
    private func loss(after result: CallOutcome, in room: RoomSession) -> RoomLoss? {
        if let failure = result.summary.end.lostMedia { return RoomLoss(reason: .failed(Diagnosis(failure))) }
        if let failure = room.presence.failure {
            let isUnfinished = plan.stays || plan.calls > flow.outcome.calls
            if flow.outcome.error == nil && isUnfinished { flow.fail(Diagnosis(failure)) }
            return RoomLoss(reason: .failed(Diagnosis(failure)))
        }
        if plan.isManaged && !room.presence.isConnected && !room.presence.isRejoining {
            return RoomLoss(reason: .disconnected("during the call"))
        }
        return nil
    }

    /// Creates the trigger of the next call.
    ///
    /// The same peer is called again if the plan requires it, after a failure, or when it has left and
    /// returned.
    private func resumed(after result: CallOutcome, in room: inout RoomSession) -> CallTrigger {
        let trustsNoLeaving =
            plan.stays && plan.dialsAutomatically
            && (result.summary.end == .peerLeft || result.summary.isFailure)
        let isThere =
            room.presence.peer != nil
            || room.presence.mayHoldUnreportedPeer(trustsNoLeaving: trustsNoLeaving)
        let redial = redial(after: result.summary)
        // A redial timer of an earlier failure would call a peer that has hung up in the meantime.
        room.presence.disarm(.pause)
        if flow.outcome.calls < plan.calls {
            room.start(.pause, plan.pause)
        } else if isThere, let redial {
            room.start(.pause, redial)
        }
        let isDeclined = result.summary.end == .declined(by: .peer)
        let hasDeclined = result.summary.end == .declined(by: .us)
        if isDeclined || hasDeclined { room.start(.declined, Self.rejoiningLimit) }
        return CallTrigger(
            role: plan.role,
            dialsAutomatically: plan.dialsAutomatically,
            trustsNoLeaving: trustsNoLeaving,
            endsWhenLost: plan.isManaged,
            isUnwanted: result.summary.end.isOurDecision,
            decliner: isDeclined ? result.summary.peer ?? "" : nil,
            declined: hasDeclined ? result.summary.peer ?? "" : nil,
            isRejoining: room.presence.isRejoining,
            isPrepared: true,
            isSpent: isThere && result.summary.end != .peerLeft,
            redial: redial,
            offer: result.nextOffer
        )
    }

    /// Computes the delay before a caller that stays in the room redials the peer after a failed call; nil if
    /// it does not redial.
    private func redial(after summary: CallSummary) -> Duration? {
        flow.failedCalls = summary.isFailure ? (summary.wasHeld ? 1 : flow.failedCalls + 1) : 0
        guard flow.failedCalls > 0, plan.stays, plan.role == .caller, plan.dialsAutomatically else {
            return nil
        }
        return .seconds(10 << min(flow.failedCalls - 1, 5))
    }

    private func diagnosis(of wait: CallEnd.Wait) -> Diagnosis {
        let span = plan.options.peerTimeout.map { " within \(DurationText($0))" } ?? ""
        let what = wait == .offer ? "no offer arrived" : "no peer joined room \(plan.identity.room)"
        return Diagnosis(wait, what + span)
    }
}

extension CallEnd {
    fileprivate var isOurDecision: Bool {
        switch self {
        case .hungUp(by: .us), .declined(by: .us), .duration, .sourceEnded: true
        case .hungUp(by: .peer), .declined(by: .peer), .peerLeft, .timedOut, .media, .signaling: false
        }
    }

    /// The failure of the media source or a recording, after which no further call is possible.
    fileprivate var lostMedia: CallMediaFailure? {
        switch self {
        case .media(let failure):
            switch failure {
            case .local(.source), .local(.recording): failure
            default: nil
            }
        case .hungUp, .declined, .peerLeft, .duration, .sourceEnded, .timedOut, .signaling: nil
        }
    }
}
