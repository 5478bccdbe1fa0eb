internal import Basics
internal import ChatCore
internal import GLibKit
internal import SoupKit

/// A chat WebSocket on libsoup.
final class SoupChatConnection: ChatConnection {
    private enum Command {
        case send(String)
        case close
    }

    /// The maximum size of a received frame in bytes, sufficient for a long history.
    private static let longestFrame = 16 << 20
    /// The maximum number of unread frames.
    private static let waitingFrames = 4096
    /// The maximum total size of unread frames in bytes.
    private static let waitingBytes = 32 << 20
    /// The time limit for opening the connection.
    private static let openingLimit = Duration.seconds(10)
    /// The interval between two pings to the server.
    private static let idleTime = Duration.seconds(20)
    /// The time within which an event, such as a pong, must follow a ping.
    private static let pongLimit = Duration.seconds(10)
    /// The time limit for the server's answer to a close frame.
    private static let closingLimit = Duration.seconds(2)

    var events: any AsyncSequence<ChatConnectionEvent, Never> & Sendable { eventQueue }

    private let eventQueue = BoundedQueue<ChatConnectionEvent>(
        countLimit: waitingFrames,
        sizeLimit: waitingBytes
    )
    private let commands: AsyncStream<Command>
    private let commandSink: AsyncStream<Command>.Continuation
    private let url: String
    private let trust: TLSAuthorities
    private let credentials: HTTPChatService.Credentials
    @LoopActor private var socket: WebSocketConnection?
    @LoopActor private var isOpen = false
    @LoopActor private var hasEnded = false
    /// The number of events received on the WebSocket.
    @LoopActor private var heard = 0

    init(_ url: String, trust: TLSAuthorities, credentials: @escaping HTTPChatService.Credentials) {
        (self.url, self.trust, self.credentials) = (url, trust, credentials)
        (commands, commandSink) = AsyncStream.makeStream()
    }

    func send(_ frame: String) { commandSink.yield(.send(frame)) }

    func close() { commandSink.yield(.close) }

    /// Opens the connection and performs queued commands until the connection has ended.
    @LoopActor
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.open() }
            group.addTask { await self.watch() }
            for await command in commands {
                switch command {
                case .send(let frame): if isOpen { socket?.send(frame) }
                case .close:
                    guard isOpen else {
                        end(.network("this program has closed the connection"), code: nil)
                        continue
                    }
                    socket?.close()
                    group.addTask { await self.limitClosing() }
                }
            }
            group.cancelAll()
        }
        end(.network("this program cancelled the connection"), code: nil)
        socket = nil
    }

    @LoopActor
    private func open() async {
        do {
            let opened: Void? = try await withDeadline(Self.openingLimit) {
                let token = try await self.credentials()
                try await self.open(with: token)
            }
            if opened == nil { end(.network("the server does not answer"), code: nil) }
        } catch let error as ChatError {
            end(error, code: nil)
        } catch {
            end(.network("this program cancelled the connection"), code: nil)
        }
    }

    @LoopActor
    private func open(with token: String?) async throws(CancellationError) {
        var headers = HTTPHeaders()
        if let token { headers.add("Authorization", "Bearer \(token)") }
        let isLocal = URLParts(url)?.isLoopback ?? false
        let socket = WebSocketConnection(
            HTTPRequest(url, headers: headers, limit: Self.longestFrame),
            settings: HTTPSessionSettings(
                trust: trust,
                usesProxies: !isLocal,
                idleLimit: .zero,
                links: TCPLinks(onReached: {})
            )
        ) { [weak self] in self?.handle($0) }
        self.socket = socket
        try await socket.open()
    }

    /// Pings the server regularly, and ends the connection if no event follows in time.
    @LoopActor
    private func watch() async {
        while (try? await Task.sleep(for: Self.idleTime)) != nil {
            let known = heard
            socket?.ping()
            guard (try? await Task.sleep(for: Self.pongLimit)) != nil else { return }
            if isOpen, heard == known { end(.network("the server does not answer"), code: nil) }
        }
    }

    @LoopActor
    private func limitClosing() async {
        guard (try? await Task.sleep(for: Self.closingLimit)) != nil else { return }
        end(.network("this program has closed the connection"), code: nil)
    }

    // MARK: Events

    @LoopActor
    private func handle(_ event: WebSocketEvent) {
        heard += 1
        switch event {
        case .requested, .pong: break
        case .opened:
            isOpen = true
            report(.opened)
        case .text(let text): report(.frame(text), size: text.utf8.count)
        case .binary(let bytes):
            report(.frame(String(decoding: bytes, as: UTF8.self)), size: bytes.count)
        case .closed(let code, let reason):
            let detail = reason.isEmpty ? "" : ": \(reason.printable(limit: 100))"
            end(.network("the server closed the connection\(detail)"), code: code)
        case .failed(let failure): end(ChatError(failure), code: nil)
        case .refused(let status, _): end(.status(status), code: nil)
        }
    }

    @LoopActor
    private func report(_ event: ChatConnectionEvent, size: Int? = nil) {
        guard !hasEnded else { return }
        if !eventQueue.send(event, size: size) {
            end(.network("the server sends more than this program can process"), code: nil)
        }
    }

    @LoopActor
    private func end(_ error: ChatError, code: Int?) {
        guard !hasEnded else { return }
        (hasEnded, isOpen) = (true, false)
        socket?.close()
        _ = eventQueue.send(.lost(error, code: code))
        eventQueue.finish()
        commandSink.finish()
    }
}
