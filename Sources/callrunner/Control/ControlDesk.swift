internal import AppFlow
internal import Basics
internal import GLibKit

/// An executor of the control commands from one source, which sends a reply to each command.
struct ControlDesk: Sendable {
    let perform: @Sendable (CallsCommand) async -> Result<ControlAnswer, ControlRefusal>
    let respond: @Sendable (ControlReply) async -> Void

    /// The maximum number of queued commands of one source that wait for a disk or the peer.
    private static let maximumWaiting = 16

    /// Performs commands until `read` returns no bytes or throws, or the task is cancelled.
    ///
    /// Commands that have already been read are still completed. Slow commands are performed one after another. Quick
    /// commands overtake them, so that a hang-up does not wait for a disk.
    func serve(_ read: () async throws -> [UInt8]) async {
        let (waiting, order) = AsyncStream.makeStream(
            of: ControlRequest.self,
            bufferingPolicy: .bufferingOldest(Self.maximumWaiting)
        )
        await withDiscardingTaskGroup { group in
            group.addTask { for await request in waiting { await carryOut(request) } }
            var splitter = LineSplitter()
            while !Task.isCancelled, let bytes = try? await read(), !bytes.isEmpty {
                for line in splitter.append(bytes) { await handle(line, order) }
            }
            for line in splitter.finish() { await handle(line, order) }
            order.finish()
        }
    }

    private func handle(_ line: LineSplitter.Line, _ order: AsyncStream<ControlRequest>.Continuation) async {
        do {
            let request = try Self.request(line)
            guard !request.action.isQuick else { return await carryOut(request) }
            guard case .dropped = order.yield(request) else { return }
            let refusal = ControlRefusal(
                code: "busy",
                message: "too many commands are waiting already; wait for their replies"
            )
            await respond(ControlReply(to: request, .failure(refusal)))
        } catch { await respond(ControlReply(to: error)) }
    }

    private static func request(_ line: LineSplitter.Line) throws(ControlRequest.Problem) -> ControlRequest {
        switch line {
        case .text(let bytes): return try ControlRequest(bytes)
        case .tooLong:
            let maximum = LineSplitter.maximumBytes
            let refusal = ControlRefusal(
                code: "too-long",
                message: "the line is too long: at most \(maximum) bytes are allowed"
            )
            throw ControlRequest.Problem(refusal: refusal)
        }
    }

    private func carryOut(_ request: ControlRequest) async {
        await respond(ControlReply(to: request, await perform(request.action)))
    }
}
