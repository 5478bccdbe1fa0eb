internal import HTTPFront
internal import Logging
internal import NIOCore

/// The parts of a running server: the HTTP front, which accepts connections, and the services behind it.
///
/// Confined to one event loop.
final class SignalingHost {
    let front: FrontServer
    let engine: EngineServer

    init(
        _ configuration: ServerConfiguration,
        services: [any WebService],
        eventLoop: any EventLoop,
        tasks: RequestTasks,
        logger: Logger
    ) {
        front = FrontServer(
            FrontConfiguration(configuration),
            eventLoop: eventLoop,
            tasks: tasks,
            logger: logger
        )
        engine = EngineServer(configuration, on: front, logger: logger)
        for service in services { front.add(service) }
    }

    /// The current metrics.
    var counts: ServerCounts { engine.counts }
}
