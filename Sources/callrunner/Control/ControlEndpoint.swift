internal import AppFlow
internal import GLibKit
internal import Glibc
internal import Synchronization

/// The control interface of the program, on standard input or on a Unix socket.
struct ControlEndpoint: Sendable {
    /// The control socket; nil for standard input.
    private let listener: UnixListener?
    private let console: Console
    private let events: EventWriter

    /// The maximum number of connected clients.
    private static let maximumClients = 8

    /// Calls `body` with an endpoint at `place`, and closes the endpoint when `body` has returned or thrown.
    ///
    /// - Throws: `Failure` if the socket cannot be created, and the errors of `body`.
    static func with<Result>(
        _ place: ControlPlace,
        console: Console,
        events: EventWriter,
        _ body: (ControlEndpoint) async throws -> Result
    ) async throws -> Result {
        guard case .socket(let path) = place else {
            return try await body(ControlEndpoint(listener: nil, console: console, events: events))
        }
        let listener: UnixListener
        do { listener = try await listen(at: path) } catch {
            throw Failure.usage(
                "cannot create the control socket \(path): \(error)",
                hint: "give another path with --control; an existing file is never replaced"
            )
        }
        let result: Swift.Result<Result, any Error>
        do {
            let endpoint = ControlEndpoint(listener: listener, console: console, events: events)
            result = .success(try await body(endpoint))
        } catch { result = .failure(error) }
        await listener.close()
        return try result.get()
    }

    @LoopActor private static func listen(at path: String) throws -> UnixListener { try UnixListener(path) }

    /// Performs commands until the task is cancelled or standard input ends.
    func serve(_ flow: CallsFlow) async {
        if let listener { await serve(listener, flow) } else { await serveStandardInput(flow) }
    }

    private func serveStandardInput(_ flow: CallsFlow) async {
        let input = await DescriptorInput(STDIN_FILENO)
        // The end of the input is not a hang-up: the call continues.
        await desk(flow) { _ in }.serve { try await input.read() }
    }

    private func serve(_ listener: UnixListener, _ flow: CallsFlow) async {
        let slots = ClientSlots(Self.maximumClients)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let client: NetworkStream
                do { client = try await listener.accept() } catch {
                    if Task.isCancelled { return }
                    console.say("--control: cannot accept a client: \(error)", .failure)
                    guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                    continue
                }
                guard slots.acquire() else {
                    let refusal = ControlRefusal(
                        code: "busy",
                        message: "too many clients are connected already"
                    )
                    _ = await client.writeNow(ControlReply(refusing: refusal).line)
                    await client.close()
                    continue
                }
                group.addTask {
                    await serve(client, flow)
                    slots.release()
                }
            }
        }
    }

    private func serve(_ client: NetworkStream, _ flow: CallsFlow) async {
        await desk(flow) { reply in
            let line = reply.line
            // The first write does not suspend, because this task may already be cancelled at the end of the
            // run.
            let written = await client.writeNow(line)
            if written < line.count { try? await client.write(Array(line[written...])) }
        }.serve { try await client.read() }
        await client.close()
    }

    private func desk(
        _ flow: CallsFlow,
        _ answer: @escaping @Sendable (ControlReply) async -> Void
    ) -> ControlDesk {
        ControlDesk { action in
            do throws(ControlRefusal) {
                return .success(try await flow.perform(action))
            } catch { return .failure(error) }
        } respond: { [console, events] reply in
            await events.write("control", reply.fields)
            if let sentence = reply.sentence { console.say(sentence, .dim) }
            await answer(reply)
        }
    }
}

/// A counter of free slots for clients.
private final class ClientSlots: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) { free = Mutex(count) }

    /// Acquires a slot.
    ///
    /// - Returns: False if no slot is free.
    fileprivate func acquire() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func release() { free.withLock { $0 += 1 } }
}
