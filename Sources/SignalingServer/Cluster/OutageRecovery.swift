internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit

/// The recovery after an outage of Redis: the server claims its members' seats again, and compares all rooms
/// with Redis.
///
/// Confined to the server's event loop.
final class OutageRecovery {
    /// The minimum time that other servers are given to reconnect: longer than the longest pause between two
    /// attempts plus the time to connect.
    private static let minimumTrust = TimeAmount.seconds(4)
    private static let refreshInterval = TimeAmount.nanoseconds(SeatRegistry.timeToLive.nanoseconds / 3)

    private let link: ClusterLink
    private unowned let rooms: Rooms
    private let questions: RoomQuestions
    private let remote: RemoteMembers
    private let events: EventRelay
    private let admission: SeatAdmission
    private let releases: SeatReleases
    private let backlog: OutageBacklog
    /// The time at which the seats of this server's members are claimed again.
    private var refreshTime = NIODeadline.now()

    init(
        _ link: ClusterLink,
        rooms: Rooms,
        questions: RoomQuestions,
        remote: RemoteMembers,
        events: EventRelay,
        admission: SeatAdmission,
        releases: SeatReleases,
        backlog: OutageBacklog
    ) {
        self.link = link
        self.rooms = rooms
        self.questions = questions
        self.remote = remote
        self.events = events
        self.admission = admission
        self.releases = releases
        self.backlog = backlog
    }

    /// Synchronizes with the other servers when Redis becomes reachable, for the first time or again.
    func begin(mayHaveMissed: Bool) {
        // Other servers may reconnect later than this one.
        let trustsUntil = NIODeadline.now() + max(link.lifetime + link.interval, Self.minimumTrust)
        link.seats.trustsUntil = trustsUntil
        refreshTime = .now() + Self.refreshInterval
        releases.releaseBacklog()
        // Members that joined during the outage are announced in any case.
        reclaimAll(announcing: mayHaveMissed)
        link.eventLoop.assumeIsolated().scheduleTask(deadline: trustsUntil) { [weak self] in
            guard let self, link.isUp, link.seats.trustsUntil == trustsUntil else { return }
            settleAll()
        }
    }

    /// Claims the seats of this server's members again when a third of their lifetime in Redis has passed.
    func refresh() {
        guard NIODeadline.now() >= refreshTime else { return }
        refreshTime = .now() + Self.refreshInterval
        reclaimAll(announcing: false)
    }

    /// Claims the seats of all members of this server again; with `announcing`, announces the members too.
    func reclaimAll(announcing: Bool) {
        Sweep.run(over: rooms.allMembers, on: link.eventLoop) { [weak self] member, next in
            self?.reclaim(member, announcing: announcing, next)
        }
    }

    private func reclaim(_ member: Member, announcing: Bool, _ next: @escaping () -> Void) {
        let room = member.identity.room
        questions.ask(inTurn: room, next) { [weak self] in
            guard let self, link.isUp, isHere(member) else { return nil }
            return link.seats.claim(
                RemoteMember(member, node: link.node),
                again: true,
                age: .now() - member.arrival
            )
        } _: { [weak self] answer, updates in
            guard let self, let answer,
                let claim = SeatClaim(answer, room: room, isOpen: link.seats.isOpen)
            else { return }
            reclaimed(member, claim, updates, announcing: announcing)
        }
    }

    private func isHere(_ member: Member) -> Bool { rooms.membersByID[member.sid] === member }

    private func reclaimed(
        _ member: Member,
        _ claim: SeatClaim,
        _ updates: RoomQuestions.Updates,
        announcing: Bool
    ) {
        let room = member.identity.room
        var place = RemoteMember(member, node: link.node)
        guard isHere(member) else { return releases.release(silently: place) }
        switch claim {
        case .granted(let since, let replaced, let others):
            (member.since, place.since) = (since, since)
            remote.learn(others, in: room, isSettled: false, except: updates)
            // The previous holder is an earlier connection of the same client that has not ended yet.
            if let replaced { _ = admission.takeOver(replaced, for: place) }
            remote.vacate(for: place)
            let isUnannounced = backlog.remove(joined: member.sid)
            if announcing || isUnannounced { events.announceJoined(member, sid: member.sid) }
            // The claim has cleared the seat's `lost` mark.
            if member.socket == nil { link.seats.lose(sid: member.sid, room: room, role: member.role) }
        case .refused(let holder?, _) where holder.keyHash != nil && holder.keyHash == member.keyHash:
            // The client has moved to another server; only its connection to this server has not ended yet.
            link.post(.moved(sid: member.sid, to: holder, again: false))
            remote.supersede(member.sid, at: holder.since)
            rooms.supplant(sid: member.sid)
            if remote.concerns(room), updates[holder.sid] == nil { _ = remote.add(holder) }
        case .refused(let holder, _):
            link.logger.notice(
                "another client took a member's seat while Redis was unavailable; the member is removed",
                metadata: ["room": "\(room)", "role": "\(member.role)"]
            )
            rooms.evict(member)
            guard let holder, updates[holder.sid] == nil, remote.add(holder) else { return }
            remote.welcome(holder)
        }
    }

    /// Removes the remote members without a seat from all rooms.
    ///
    /// Every live server has claimed its members' seats again before this is called.
    private func settleAll() {
        Sweep.run(over: remote.knownRooms, on: link.eventLoop) { [weak self] room, next in
            self?.questions.look(into: room, next) { present, updates in
                self?.remote.learn(present, in: room, isSettled: true, except: updates)
            }
        }
    }
}
