internal import HTTPFront
internal import Logging
internal import NIOCore
internal import NIOEmbedded
@testable internal import SignalingServer

/// A signaling server without sockets, and the connections that one fuzz input controls.
///
/// An input is a sequence of pieces separated by 0xFF. The first byte of a piece selects the connection that
/// receives the piece, and whether the connection ends after it. `$` stands for the id of the session that
/// was opened last.
final class Front {
    private static let separator = UInt8(0xFF)
    private static let sessionMark = UInt8(ascii: "$")
    /// The maximum output in bytes; an input of libFuzzer's length causes more only if output grows without
    /// bound.
    private static let maximumOutput = 4_000_000

    private let loop = EmbeddedEventLoop()
    private let host: SignalingHost
    private var channels: [UInt8: EmbeddedChannel] = [:]
    private var lastSession: [UInt8] = Array("none".utf8)
    private var output = 0

    init() {
        var configuration = ServerConfiguration()
        configuration.maximumPayload = 2_000
        host = SignalingHost(
            configuration,
            services: [DescriptionService()],
            eventLoop: loop,
            tasks: RequestTasks(),
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func take(_ input: UnsafeRawBufferPointer) {
        for piece in input.split(separator: Self.separator) {
            guard let choice = piece.first else { continue }
            feed(Array(piece.dropFirst()), to: choice & 3)
            if choice & 4 != 0 { end(choice & 3) }
        }
        for key in Array(channels.keys) { end(key) }
        let engine = host.engine
        precondition(engine.rooms.memberCount <= engine.sessions.count, "members without a session")
        precondition(engine.rooms.memberCount == engine.rooms.allMembers.count, "members are miscounted")
        _ = host.front.shutDown()
        // No task answers here, so the limit of the services' drain must pass; until then, it retains the loop.
        loop.advanceTime(by: .seconds(10))
        precondition(engine.sessions.isEmpty && engine.rooms.count == 0, "something outlives the server")
        try? loop.syncShutdownGracefully()
    }

    private func feed(_ bytes: [UInt8], to key: UInt8) {
        guard let channel = channels[key] ?? open(key) else { return }
        var buffer = ByteBuffer()
        for byte in bytes {
            if byte == Self.sessionMark { buffer.writeBytes(lastSession) } else { buffer.writeInteger(byte) }
        }
        _ = try? channel.writeInbound(buffer)
        loop.run()
        read(channel)
        if !channel.isActive { channels[key] = nil }
    }

    private func open(_ key: UInt8) -> EmbeddedChannel? {
        let channel = EmbeddedChannel(loop: loop)
        guard (try? host.front.accept(channel)) != nil else { return nil }
        _ = try? channel.connect(to: SocketAddress(ipAddress: "192.0.2.\(key + 1)", port: 9)).wait()
        channels[key] = channel
        return channel
    }

    private func end(_ key: UInt8) {
        guard let channel = channels.removeValue(forKey: key) else { return }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        loop.run()
    }

    private func read(_ channel: EmbeddedChannel) {
        while let buffer = try? channel.readOutbound(as: ByteBuffer.self) {
            output += buffer.readableBytes
            note(sessionIn: buffer.readableBytesView)
        }
        precondition(output < Self.maximumOutput, "\(output) bytes were answered")
    }

    private func note(sessionIn bytes: ByteBufferView) {
        let mark = Array(#""sid":""#.utf8)
        guard let start = bytes.firstRange(of: mark)?.upperBound,
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return }
        lastSession = Array(bytes[start..<end])
    }
}
