internal import HTTPFront
internal import Logging
internal import NIOCore

/// The connections of encoders, whose number is limited.
///
/// Confined to one event loop.
final class IngestConnections {
    private let limits: IngestLimits
    private let addresses: AddressLimits
    private let logger: Logger
    private var channels: [ObjectIdentifier: any Channel] = [:]
    /// The connections that publish nothing yet, the oldest first.
    private var waiting: [ObjectIdentifier] = []
    private var refusals = RepeatedEntry()

    init(_ limits: IngestLimits, logger: Logger) {
        (self.limits, self.logger) = (limits, logger)
        var rates = AddressRates()
        rates.connectionsPerMinute = limits.connectionsPerMinute
        addresses = AddressLimits(
            rates,
            openConnections: limits.connectionsPerAddress,
            inAll: limits.connections
        )
    }

    /// Counts a connection until it closes.
    ///
    /// - Throws: `ChannelError` if there are too many; the channel is then closed.
    func accept(_ channel: any Channel) throws {
        let now = channel.eventLoop.now
        let allowance = addresses.allowance(for: ClientAddress(channel.remoteAddress), at: now)
        var isRefused = allowance?.open(at: now) != nil
        if !isRefused, channels.count >= limits.connections { closeOldestWaiting() }
        if !isRefused, channels.count >= limits.connections {
            allowance?.close()
            isRefused = true
        }
        guard !isRefused else {
            if let count = refusals.count(at: now) {
                logger.warning("encoders refused: too many connections", metadata: ["times": "\(count)"])
            }
            throw ChannelError.operationUnsupported
        }
        let id = ObjectIdentifier(channel)
        channels[id] = channel
        waiting.append(id)
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            allowance?.close()
            self.remove(id)
        }
    }

    /// Notes that an encoder publishes, so that its connection is not closed for newcomers.
    func published(_ channel: any Channel) { waiting.removeAll { $0 == ObjectIdentifier(channel) } }

    /// Closes the oldest connection that publishes nothing yet, because those who open many of them must not keep
    /// encoders out.
    private func closeOldestWaiting() {
        guard let oldest = waiting.first else { return }
        let channel = channels[oldest]
        remove(oldest)
        channel?.close(promise: nil)
    }

    private func remove(_ id: ObjectIdentifier) {
        channels[id] = nil
        waiting.removeAll { $0 == id }
    }

    /// Closes all connections.
    func closeAll(on loop: any EventLoop) -> EventLoopFuture<Void> {
        EventLoopFuture.andAllComplete(channels.values.map { $0.close() }, on: loop)
    }
}
