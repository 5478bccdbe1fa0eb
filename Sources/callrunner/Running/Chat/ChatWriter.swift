internal import Basics
internal import ChatCore
internal import Synchronization

/// The output of `callrunner chat`: events for scripts, or lines for people.
final class ChatWriter: Sendable {
    /// A stream with the reason why standard output was closed, for a single consumer.
    let closings: AsyncStream<StandardStream.Closed>

    private let closingSink: AsyncStream<StandardStream.Closed>.Continuation
    private let console: Console
    private let events: EventWriter
    private let writesJSON: Bool
    private let peer: Int
    /// The IDs of the outgoing messages that were reported already, or come from earlier runs.
    private let known = Mutex<Set<String>>([])

    init(_ console: Console, _ events: EventWriter, writesJSON: Bool, with peer: Int) {
        (self.console, self.events, self.writesJSON, self.peer) = (console, events, writesJSON, peer)
        (closings, closingSink) = AsyncStream.makeStream()
    }

    // MARK: Messages

    /// Shows the history once it has been received, then each new message that the server has stored, until the
    /// conversation ends.
    func show(_ conversation: Conversation) async {
        var shown: Set<String>?
        var isPeerOnline: Bool?
        for await state in conversation.state.states {
            let stored = state.items.lazy.filter { $0.progress == .stored }
            if shown == nil {
                guard state.link == .open else { continue }
                let items = Array(stored)
                shown = Set(items.map(\.key))
                await showHistory(items, state.mode)
            } else {
                for item in stored where shown?.insert(item.key).inserted ?? false { await show(item) }
            }
            guard let isOnline = state.isPeerOnline, isOnline != isPeerOnline else { continue }
            isPeerOnline = isOnline
            await events.write("chat.presence", ["userId": .int(peer), "isOnline": .bool(isOnline)])
            console.say(Line(sentence: isOnline ? "online" : "offline", style: .dim, weight: .detail))
        }
    }

    private func showHistory(_ items: [ChatItem], _ mode: ConversationState.Mode?) async {
        await events.write(
            "chat.history",
            [
                "with": .int(peer), "mode": .string(mode == .extended ? "extended" : "plain"),
                "items": .array(items.map { .object($0.fields) }),
            ]
        )
        for item in items { await write(item.text) }
        if items.isEmpty { console.say("no messages yet", .dim) }
    }

    private func show(_ item: ChatItem) async {
        await events.write(item.isMine ? "chat.sent" : "chat.message", item.fields)
        await write(item.text)
    }

    private func write(_ text: String) async {
        guard !writesJSON else { return }
        do throws(StandardStream.Closed) { try await StandardStream.output.write(text) } catch {
            closingSink.yield(error)
        }
    }

    // MARK: Outgoing messages

    /// Records the IDs of messages from earlier runs, which are not reported.
    func know(_ outbox: [OutgoingMessage]) { known.withLock { $0.formUnion(outbox.map(\.id)) } }

    /// Reports new messages, which are stored until the server has confirmed them.
    func queued(_ outbox: [OutgoingMessage]) async {
        let new = known.withLock { known in outbox.filter { known.insert($0.id).inserted } }
        for message in new where message.failure == nil {
            await events.write("chat.queued", ["id": .string(message.id), "message": .string(message.text)])
        }
    }

    // MARK: Reports

    /// Writes the reports of a conversation until it ends.
    func report(_ reports: AsyncStream<ConversationReport>) async {
        for await report in reports {
            switch report {
            // `show(_:)` writes these from the state of the conversation.
            case .received, .stored, .found: break
            case .notSent(let key, let text, _, let error):
                await events.write(
                    "chat.not_sent",
                    ["id": .string(key), "message": .string(text), "reason": .string(error.message)]
                )
                console.say("not sent: \(text.printable(limit: 60)): \(error.message)", .failure)
            case .failed(let error):
                await events.write("chat.failed", ["message": .string(error.message)])
                console.say(error.message, .failure)
            case .call(let room):
                await events.write("chat.call", ["room": .int(room)])
                console.say("incoming call: `callrunner --room \(room)` answers it", .emphasis)
            case .reconnecting(let error, let wait):
                await events.write(
                    "chat.reconnecting",
                    ["message": .string(error.message), "retryIn": .number(wait / .seconds(1))]
                )
                guard !error.isLasting else { break }
                let seconds = DurationText(seconds: (wait / .milliseconds(100)).rounded() / 10)
                console.say("\(error.message); trying again in \(seconds)", .failure)
            }
        }
    }
}
