internal import Basics
internal import CallCore

// A visit: one call in another room, after which the own room or the login is shown again.

extension CallsFlow {
    /// The time within which the other person must come into the room of a visit, or offer there.
    static let visitLimit = Duration.seconds(45)

    /// Ends a visit that waits for the other person, also if it has not begun yet.
    func cancelVisit(_ room: RoomID) {
        cancelledVisit = room
        if visit?.identity.room == room { router.send(.hangUp) }
    }

    /// Runs a visit, from joining its room to having left it.
    func hold(_ visit: RoomVisit, rejoins: Bool) async -> Step? {
        let (home, before, lossesBefore) = (room, currentScreen, losses)
        (self.visit, visitSummary) = (visit, nil)
        defer { self.visit = nil }
        var next: Step? = .disconnected(nil)
        if cancelledVisit != visit.identity.room {
            var state = RoomState(identity: visit.identity, role: visit.role, controls: controls.state)
            state.isManaged = true
            room = RoomViewModel(state, router: router)
            next = await joinRoom(plan(of: visit))
        }
        (room, losses, failedCalls) = (home, lossesBefore, 0)
        guard let next, !router.isQuitting.state else { return nil }
        visitEnds.continuation.yield(VisitEnd(visit: visit, result: result(after: next)))
        guard let home else {
            // What was typed into the login is kept.
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

    private func result(after next: Step) -> VisitEnd.Result {
        if let visitSummary { return .called(visitSummary) }
        if case .disconnected(let loss?) = next { return .lost(RoomLoss(reason: loss.reason)) }
        return .cancelled
    }
}
