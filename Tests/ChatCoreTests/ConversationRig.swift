import Basics

@testable import ChatCore

/// A conversation of person 101 with person 2, as a state machine.
struct ConversationRig {
    var machine: ConversationStateMachine
    private(set) var effects: [ConversationStateMachine.Effect] = []
    /// The number of the newest connection.
    private(set) var connection = 0

    init(
        kept: [ChatMessage] = [],
        outbox: [OutgoingMessage] = [],
        mode: ConversationState.Mode? = nil,
        name: String? = nil
    ) {
        machine = ConversationStateMachine(
            own: 101,
            name: name,
            peer: 2,
            kept: kept,
            outbox: outbox,
            mode: mode,
            seed: 1
        )
        handle(.start)
    }

    /// Creates a conversation that is open in the extended mode, or else in that of original servers.
    static func open(extended: Bool = true, _ messages: [ChatMessage] = []) -> ConversationRig {
        var rig = ConversationRig()
        rig.open(extended: extended, messages)
        return rig
    }

    mutating func handle(_ input: ConversationStateMachine.Input) {
        effects = machine.handle(input)
        for case .connect(let number) in effects { connection = number }
    }

    mutating func open(extended: Bool = true, _ messages: [ChatMessage] = [], hasMore: Bool = false) {
        handle(.opened(connection: connection))
        if extended { receive(.hello([:])) }
        receive(.history(messages, before: nil, hasMore: hasMore))
    }

    mutating func receive(_ event: ChatEvent) {
        handle(.frame(ChatEventEnvelope(event).text, connection: connection))
    }

    mutating func lose(code: Int? = nil) {
        handle(.lost(.network("it broke"), code: code, connection: connection))
    }

    mutating func send(_ text: String, id: String) {
        handle(.command(.send(id: id, text: text, media: nil, replyTo: nil, at: ChatTime(microseconds: 0))))
    }

    /// Ends the newest deadline of a kind, if there was one among the last effects.
    mutating func end(_ deadline: ConversationStateMachine.Deadline) {
        for case .startDeadline(deadline, _, let serial) in effects {
            return handle(.deadline(deadline, serial: serial))
        }
    }

    /// The frames that the last input has sent.
    var sent: [String] { effects.compactMap { if case .send(let frame, _) = $0 { frame } else { nil } } }

    var reports: [ConversationReport] {
        effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    var wait: Duration? {
        for case .startDeadline(.reconnect, let span, _) in effects { return span }
        return nil
    }

    var texts: [String] { machine.state.items.map(\.message.text) }

    var progress: [ChatItem.Progress] { machine.state.items.map(\.progress) }

    static func frame(_ text: String, id: String) -> String {
        ChatRequest.Envelope(.message(id: id, text: text, media: nil, replyTo: nil)).text
    }
}
