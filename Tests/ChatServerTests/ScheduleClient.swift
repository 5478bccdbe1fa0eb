import Basics
import ChatCore

/// A client of a `ChatSchedule`, and what its user has sent.
struct ScheduleClient {
    let own: Int
    let peer: Int
    let isPlain: Bool
    var machine: ConversationStateMachine
    var link: ChatSchedule.Link?
    /// The outgoing messages that outlive the process.
    var kept: [OutgoingMessage] = []
    private let seed: UInt64
    /// The number of processes before this one.
    private(set) var process = 0
    /// The texts that the user has sent, in order; each is sent once.
    private var sent: [String] = []

    init(_ own: Int, _ peer: Int, isPlain: Bool, seed: UInt64) {
        (self.own, self.peer, self.isPlain, self.seed) = (own, peer, isPlain, seed)
        let mode = isPlain ? ConversationState.Mode.plain : .extended
        machine = ConversationStateMachine(own: own, name: nil, peer: peer, mode: mode, seed: seed)
    }

    mutating func newMessage(at time: Int) -> ConversationStateMachine.Input {
        let id = "\(own)-\(sent.count)"
        sent.append(id)
        let now = ChatTime(microseconds: Int64(time) * 1000)
        return .command(.send(id: id, text: id, media: nil, replyTo: nil, at: now))
    }

    /// Begins anew with what was kept.
    mutating func restart() {
        process += 1
        let state = machine.state
        machine = ConversationStateMachine(
            own: own,
            name: nil,
            peer: peer,
            kept: machine.messagesToKeep,
            outbox: kept.compactMap { OutgoingMessage($0.json) },
            mode: state.mode,
            seed: seed
        )
    }

    /// Compares what the client shows with what the server has stored.
    func problems(_ stored: [ChatMessage]) -> [String] {
        var problems: [String] = []
        func check(_ isRight: Bool, _ problem: @autoclosure () -> String) {
            if !isRight { problems.append("\(isPlain ? "plain " : "")\(own): \(problem())") }
        }
        let texts = stored.filter { $0.fromID == own && !["Hi there!", "Hello!"].contains($0.text) }.map(
            \.text
        )
        let ranks = texts.map { sent.firstIndex(of: $0) }
        check(!ranks.contains(nil), "something is stored that nobody sent")
        let swapped = zip(ranks, ranks.dropFirst()).filter { $0 ?? 0 > $1 ?? 0 }
        check(swapped.isEmpty, "\(swapped) are in the wrong order")
        check(Set(texts).count == texts.count, "something is stored twice: \(texts)")
        let items = machine.state.items
        let notSent = items.filter { item in
            if case .notSent = item.progress { true } else { false }
        }.map(\.message.text)
        let unclear = items.filter { $0.progress == .sending || $0.progress == .waiting }
        check(machine.state.link == .open, "the connection is \(machine.state.link)")
        check(unclear.isEmpty, "\(unclear.map(\.message.text)) are not settled")
        let accounted = texts + notSent
        let lost = sent.filter { !accounted.contains($0) }
        check(lost.isEmpty, "\(lost) are lost")
        let both = notSent.filter { texts.contains($0) }
        // A plain client does not know what an original server got before the client's process ended.
        check(both.isEmpty || isPlain && process > 0, "\(both) are stored and shown as not sent")
        let shown = items.filter { $0.progress == .stored }.map(\.message.text)
        // A client that was away for long has only the newest page.
        let expected = stored.map(\.text).suffix(shown.count)
        let differing = zip(expected, shown).first { $0 != $1 }
        check(differing == nil, "\(differing?.1 ?? "") is shown instead of \(differing?.0 ?? "")")
        check(shown.count >= min(stored.count, 50), "only \(shown.count) of \(stored.count) are shown")
        return problems
    }
}
