internal import Basics
internal import CallCore

// A visit: one call in another room, after which the user's own room or the login is shown again.

extension CallsFlow {
    /// The time within which the other person must join the room of a visit, or send an offer there.
    nonisolated static let visitLimit = Duration.seconds(45)

    /// Begins a visit to another room as soon as the current step ends.
    func begin(_ visit: RoomVisit) {
        endWaitingVisit()
        waitingVisit = visit
        router.send(.visit(visit))
    }

    /// Cancels a visit that has not begun.
    func endWaitingVisit() {
        guard let visit = waitingVisit else { return }
        waitingVisit = nil
        end(visit, .cancelled)
    }

    /// Returns the waiting visit as the next step, unless the user has logged out or quit; without a visit, returns
    /// `next`.
    ///
    /// The visit's own command may have been ignored because of an earlier command.
    func stepWithVisit(before next: Step?) -> Step? {
        guard let visit = waitingVisit else { return next }
        switch next {
        case .visiting(_, let rejoins): return .visiting(visit, rejoins: rejoins)
        case .joined: return .visiting(visit, rejoins: true)
        case .disconnected(let loss): return .visiting(visit, rejoins: loss?.retryIn != nil)
        case .login where room == nil: return .visiting(visit, rejoins: false)
        // A logout is final.
        case .login, nil:
            endWaitingVisit()
            return next
        }
    }

    private func end(_ visit: RoomVisit, _ result: VisitEnd.Result) {
        if cancelledVisit == visit.identity.room { cancelledVisit = nil }
        visitEnded(VisitEnd(visit: visit, result: result))
    }

    /// Cancels the visit to a room, even before the visit has begun.
    func cancelVisit(_ room: RoomID) {
        guard visit?.identity.room == room || waitingVisit?.identity.room == room else { return }
        cancelledVisit = room
        if visit?.identity.room == room { router.send(.hangUp) }
    }

    /// Runs a visit to another room, from joining until the room has been left.
    func hold(_ visit: RoomVisit, rejoins: Bool) async -> Step? {
        let (home, before, lossesBefore) = (room, currentScreen, losses)
        (self.visit, waitingVisit, visitSummary) = (visit, nil, nil)
        var next: Step? = .disconnected(nil)
        if cancelledVisit != visit.identity.room {
            var state = RoomState(identity: visit.identity, role: visit.role, controls: controls.state)
            state.isManaged = true
            room = RoomViewModel(state, router: router)
            next = await joinRoom(plan(of: visit))
        }
        (room, losses, failedCalls) = (home, lossesBefore, 0)
        self.visit = nil
        end(visit, result(after: next))
        guard next != nil, !router.isQuitting.state else { return nil }
        guard let home else {
            // Shows the same login again, so that the typed text is not lost.
            if case .login = before { show(before) } else { showLogin() }
            return .login
        }
        home.disconnected(nil, role: home.store.state.role)
        show(.room(home))
        return rejoins ? .joined(nil) : .disconnected(nil)
    }

    private func plan(of visit: RoomVisit) -> CallPlan {
        var plan = CallPlan(identity: visit.identity, role: visit.role)
        plan.isManaged = true
        plan.visitedPeer = visit.peer
        plan.calls = outcome.calls + 1
        plan.options.peerTimeout = Self.visitLimit
        return plan
    }

    private func result(after next: Step?) -> VisitEnd.Result {
        if let visitSummary { return .called(visitSummary) }
        if case .disconnected(let loss?) = next { return .lost(RoomLoss(reason: loss.reason)) }
        return .cancelled
    }
}
