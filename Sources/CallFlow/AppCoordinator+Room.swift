internal import CallCore

// The stay in a room: waiting and calling in turns, on the same inputs.

extension AppCoordinator {
    func stay(in room: inout RoomSession) async {
        var waiting = CallWaiting(
            role: plan.role,
            dialsByItself: plan.dialsByItself,
            trustsNoLeaving: plan.stays
        )
        while true {
            guard let decision = await wait(&waiting, in: &room) else { return }
            switch decision {
            case .open(let opening):
                let isLast = !plan.stays && outcome.calls + 1 >= plan.calls
                let result = await call(opening, in: &room, leavesRoom: isLast)
                if isLast || result.leavesRoom || Task.isCancelled { return }
                if result.summary.end.leavesNoMedia || isOutOfReach(room) { return }
                waiting = resumed(after: result, in: &room)
            case .leave: return
            case .timedOut(let wait): return fail(diagnosis(of: wait))
            case .mediaFailed(let failure): return fail(Diagnosis(failure))
            case .signalingFailed(let failure): return fail(Diagnosis(failure))
            }
        }
    }

    private func wait(
        _ waiting: inout CallWaiting,
        in room: inout RoomSession
    ) async -> CallWaiting.Decision? {
        let model = RoomViewModel(plan: plan, controls: controls, inputs: inputs.continuation)
        show(.room(model))
        tell(.call(.state(plan.role == .caller ? .idle : .awaitingOffer)))
        if let timeout = plan.options.peerTimeout { room.start(.peer, timeout) }
        let decision = await model.run(&waiting, in: &room)
        controls = model.store.state.controls
        return decision
    }

    private func call(
        _ opening: CallOpening,
        in room: inout RoomSession,
        leavesRoom: Bool
    ) async -> CallOutcome {
        var options = plan.options
        options.leavesRoom = leavesRoom
        var peer: String?
        var state = CallState.calling
        switch opening {
        case .dial(let participant): peer = participant.username
        case .dialBlindly: break
        case .incoming(_, let participant):
            peer = participant?.username
            state = options.autoAnswers ? .answering : .ringing
        case .unusable(_, let participant):
            peer = participant?.username
            state = .awaitingOffer
        }
        if opening != .dialBlindly { room.knowledge.disarm(.peer) }
        let model = CallViewModel(
            peer: peer,
            call: state,
            controls: controls,
            inputs: inputs.continuation
        )
        show(.call(model))
        await media.willCall(peer)
        let result = await CallSession(options: options).run(opening, in: &room) { report in
            model.show(report)
            tell(.call(report))
        }
        await media.callEnded()
        controls = model.store.state.controls
        outcome.add(result.summary)
        if let error = outcome.error { tell(.error(error)) }
        return result
    }

    private func isOutOfReach(_ room: RoomSession) -> Bool {
        guard let failure = room.knowledge.failure else { return false }
        if outcome.error == nil && (plan.stays || plan.calls > outcome.calls) { fail(Diagnosis(failure)) }
        return true
    }

    /// Waiting anew: the peer just called is dialled again by plan, after a mishap, or when it leaves and returns.
    private func resumed(after result: CallOutcome, in room: inout RoomSession) -> CallWaiting {
        let trustsNoLeaving =
            plan.stays && (result.summary.end == .peerLeft || result.summary.isMishap)
        let isThere =
            room.knowledge.peer != nil
            || room.knowledge.mayHoldUntoldPeer(trustsNoLeaving: trustsNoLeaving)
        let redial = redial(after: result.summary)
        // What an earlier mishap has left would call one who has hung up since.
        room.knowledge.disarm(.pause)
        if outcome.calls < plan.calls {
            room.start(.pause, plan.pause)
        } else if isThere, let redial {
            room.start(.pause, redial)
        }
        return CallWaiting(
            role: plan.role,
            dialsByItself: plan.dialsByItself,
            trustsNoLeaving: trustsNoLeaving,
            isUnwanted: result.summary.end.isOurWish,
            isPrepared: true,
            isSpent: isThere && result.summary.end != .peerLeft,
            redial: redial,
            offer: result.nextOffer
        )
    }

    /// How long a caller that stays waits before it calls again whom media did not reach, or no longer reached.
    private func redial(after summary: CallSummary) -> Duration? {
        misses = summary.isMishap ? (summary.wasHeld ? 1 : misses + 1) : 0
        guard misses > 0, plan.stays, plan.role == .caller, plan.dialsByItself else { return nil }
        return .seconds(10 << min(misses - 1, 5))
    }

    private func diagnosis(of wait: CallEnd.Wait) -> Diagnosis {
        let span = plan.options.peerTimeout.map { " within \(DurationText($0))" } ?? ""
        let what = wait == .offer ? "no offer came" : "no peer came to room \(plan.identity.room)"
        return Diagnosis(wait, what + span)
    }
}

extension CallEnd {
    fileprivate var isOurWish: Bool {
        switch self {
        case .hungUp(by: .us), .declined(by: .us), .duration, .sourceEnded: true
        case .hungUp(by: .peer), .declined(by: .peer), .peerLeft, .timedOut, .media, .signaling: false
        }
    }

    /// Whether the media service itself has failed, so that no further call can be held with it.
    fileprivate var leavesNoMedia: Bool {
        switch self {
        case .media(.source), .media(.recording): true
        case .media, .hungUp, .declined, .peerLeft, .duration, .sourceEnded, .timedOut, .signaling: false
        }
    }
}
