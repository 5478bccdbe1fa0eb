internal import HTTPFront

extension PrometheusText {
    /// Adds the metrics of a server, whose names begin with `callrunner_`.
    mutating func add(_ counts: ServerCounts) {
        addConnections(counts)
        addRooms(counts)
        addRelays(counts)
        addServices(counts.services)
        if let cluster = counts.cluster { add(cluster) }
        guard let chaos = counts.chaos else { return }
        add(.counter, "callrunner_chaos_total", "Faults injected by --chaos, by kind.", chaos)
    }

    private mutating func addConnections(_ counts: ServerCounts) {
        add(.gauge, "callrunner_connections", "Open TCP connections.", counts.front.connections)
        add(
            .counter,
            "callrunner_connections_accepted_total",
            "Accepted TCP connections.",
            counts.front.connectionsAccepted
        )
        add(
            .counter,
            "callrunner_connections_refused_total",
            "Refused connections, sessions and requests, by reason.",
            counts.front.connectionsRefused
        )
        add(.gauge, "callrunner_sessions", "Open Engine.IO sessions, by transport.", counts.sessions)
        add(
            .counter,
            "callrunner_sessions_opened_total",
            "Opened Engine.IO sessions, by their first transport.",
            counts.sessionsOpened
        )
        add(
            .counter,
            "callrunner_sessions_upgraded_total",
            "Engine.IO sessions upgraded from polling to WebSocket.",
            counts.upgrades
        )
        add(
            .counter,
            "callrunner_slow_consumers_closed_total",
            "Clients disconnected because they read too slowly, by reason.",
            counts.front.slowConsumersClosed
        )
        add(
            .counter,
            "callrunner_slow_senders_closed_total",
            "Clients disconnected because they did not complete a message or a body, by reason.",
            counts.front.slowSendersClosed
        )
        add(
            .counter,
            "callrunner_rate_limited_total",
            "Client actions over a rate limit, by kind.",
            counts.front.rateLimited
        )
    }

    private mutating func addRooms(_ counts: ServerCounts) {
        add(.gauge, "callrunner_rooms", "Rooms with at least one member.", counts.rooms)
        add(.gauge, "callrunner_members", "Clients in rooms.", counts.members)
        add(
            .gauge,
            "callrunner_calls",
            "Rooms with a call that has been answered and has not ended.",
            counts.calls
        )
        add(.counter, "callrunner_calls_total", "Answered calls.", counts.callsBegun)
        add(.counter, "callrunner_joins_total", "Clients that joined a room.", counts.joins)
        add(
            .counter,
            "callrunner_joins_refused_total",
            "Refused joins, by reason.",
            counts.joinsRefused
        )
        add(
            "callrunner_join_latency_seconds",
            "Time from reading a CONNECT packet to writing its reply.",
            counts.joinLatency
        )
        add(
            .gauge,
            "callrunner_draining",
            "1 while the server refuses new clients before it stops.",
            counts.isDraining ? 1 : 0
        )
    }

    private mutating func addRelays(_ counts: ServerCounts) {
        add(
            .counter,
            "callrunner_relayed_events_total",
            "Relayed events, counted per recipient, by name.",
            counts.relays
        )
        add(
            .counter,
            "callrunner_dropped_events_total",
            "Dropped client events, by reason.",
            counts.eventsDropped
        )
        add(
            .counter,
            "callrunner_relayed_bytes_total",
            "Bytes of relayed events, counted per recipient.",
            counts.relayedBytes
        )
        add(
            "callrunner_relay_latency_seconds",
            "Time from reading an event to writing it to its recipients.",
            counts.relayLatency
        )
    }

    private mutating func addServices(_ services: [ServiceCounts]) {
        func samples(_ value: (ServiceCounts) -> Int) -> [(labels: [Label], value: Double)] {
            services.map { ([("service", $0.service)], Double(value($0))) }
        }
        func samples<Kind>(_ tally: (ServiceCounts) -> Tally<Kind>) -> [(labels: [Label], value: Double)] {
            services.flatMap { service in
                Kind.allCases.map { kind in
                    let labels = [("service", service.service), (Kind.labelName, kind.label)]
                    return (labels, Double(tally(service)[kind]))
                }
            }
        }
        add(
            .counter,
            "callrunner_service_requests_total",
            "Answered requests, by service and result.",
            samples(\.requests)
        )
        add(
            .gauge,
            "callrunner_service_requests_running",
            "Requests that are being answered, by service.",
            samples(\.running)
        )
        add(
            .counter,
            "callrunner_service_refused_total",
            "Requests and WebSockets over a limit of their service, by reason.",
            samples(\.refused)
        )
        add(
            .counter,
            "callrunner_service_stored_total",
            "Entries that clients have stored, by service.",
            services.compactMap { service in
                service.stored.map { ([("service", service.service)], Double($0)) }
            }
        )
        add(
            .gauge,
            "callrunner_service_sockets",
            "Open WebSockets, by service.",
            samples(\.sockets)
        )
        add(
            .counter,
            "callrunner_service_messages_total",
            "Messages received over WebSockets, by service.",
            samples(\.messages)
        )
        add(
            .counter,
            "callrunner_service_received_bytes_total",
            "Bytes of request bodies and WebSockets received, by service.",
            samples(\.receivedBytes)
        )
        add(
            .counter,
            "callrunner_service_sent_bytes_total",
            "Bytes of response bodies sent, by service.",
            samples(\.sentBytes)
        )
    }

    /// Adds the metrics of a cluster, whose names begin with `callrunner_redis_` or `callrunner_cluster_`.
    mutating func add(_ counts: ClusterCounts) {
        add(
            .gauge,
            "callrunner_redis_up",
            "1 while Redis is connected; without it, rooms are not shared.",
            counts.isUp ? 1 : 0
        )
        add(
            .counter,
            "callrunner_redis_losses_total",
            "Times that sharing stopped: Redis was lost, or refused a command.",
            counts.losses
        )
        add(
            .gauge,
            "callrunner_cluster_nodes",
            "callrunner servers in the cluster, including this one.",
            counts.nodes
        )
        add(
            .gauge,
            "callrunner_cluster_foreign_nodes",
            "Servers of other implementations, such as Node.js, that share the rooms.",
            counts.foreignNodes
        )
        add(
            .gauge,
            "callrunner_cluster_remote_members",
            "Members on other servers, in rooms that also have members on this server.",
            counts.remoteMembers
        )
        add(
            .counter,
            "callrunner_cluster_published_total",
            "Events relayed to other servers.",
            counts.published
        )
        add(
            .counter,
            "callrunner_cluster_delivered_total",
            "Events from other servers that were delivered to clients, counted per recipient.",
            counts.delivered
        )
        add(
            .counter,
            "callrunner_cluster_refused_total",
            "Messages over Redis that were ignored, by reason.",
            counts.refused
        )
    }
}
