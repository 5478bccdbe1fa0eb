extension PrometheusText {
    /// Adds the counts of a server, all under `callrunner_`.
    mutating func add(_ counts: ServerCounts) {
        addConnections(counts)
        addRooms(counts)
        addRelays(counts)
        if let cluster = counts.cluster { add(cluster) }
        guard let chaos = counts.chaos else { return }
        add(.counter, "callrunner_chaos_total", "Misdeeds that --chaos asked for, by what was done.", chaos)
    }

    private mutating func addConnections(_ counts: ServerCounts) {
        add(.gauge, "callrunner_connections", "TCP connections open now.", counts.connections)
        add(
            .counter,
            "callrunner_connections_accepted_total",
            "TCP connections accepted.",
            counts.connectionsAccepted
        )
        add(
            .counter,
            "callrunner_connections_refused_total",
            "Connections closed at once, sessions refused, and requests turned away, by reason.",
            counts.connectionsRefused
        )
        add(.gauge, "callrunner_sessions", "Engine.IO sessions now, by transport.", counts.sessions)
        add(
            .counter,
            "callrunner_sessions_opened_total",
            "Engine.IO sessions opened, by the transport they began with.",
            counts.sessionsOpened
        )
        add(
            .counter,
            "callrunner_sessions_upgraded_total",
            "Engine.IO sessions that went over from polling to WebSocket.",
            counts.upgrades
        )
        add(
            .counter,
            "callrunner_slow_consumers_closed_total",
            "Clients closed because they did not read what they were sent, by reason.",
            counts.slowConsumersClosed
        )
        add(
            .counter,
            "callrunner_rate_limited_total",
            "Times that a client did something too often or too much, by what it did.",
            counts.rateLimited
        )
    }

    private mutating func addRooms(_ counts: ServerCounts) {
        add(.gauge, "callrunner_rooms", "Rooms that somebody is in now.", counts.rooms)
        add(.gauge, "callrunner_members", "Who is in a room now.", counts.members)
        add(
            .gauge,
            "callrunner_calls",
            "Rooms now with a caller, a callee and an answer between them.",
            counts.calls
        )
        add(.counter, "callrunner_calls_total", "Calls that were answered.", counts.callsBegun)
        add(.counter, "callrunner_joins_total", "Clients let into a room.", counts.joins)
        add(
            .counter,
            "callrunner_joins_refused_total",
            "Clients not let into a room, by reason.",
            counts.joinsRefused
        )
        add(
            "callrunner_join_latency_seconds",
            "From a CONNECT packet read to its answer written.",
            counts.joinLatency
        )
        add(
            .gauge,
            "callrunner_draining",
            "1 while nobody is let in any more, because the server is about to go.",
            counts.isDraining ? 1 : 0
        )
    }

    private mutating func addRelays(_ counts: ServerCounts) {
        add(
            .counter,
            "callrunner_relayed_events_total",
            "Events passed on, once for each recipient, by name.",
            counts.relays
        )
        add(
            .counter,
            "callrunner_dropped_events_total",
            "Events of clients passed on to nobody, by reason.",
            counts.eventsDropped
        )
        add(
            .counter,
            "callrunner_relayed_bytes_total",
            "Bytes of the events passed on, once for each recipient.",
            counts.relayedBytes
        )
        add(
            "callrunner_relay_latency_seconds",
            "From an event read to it written to those it is for.",
            counts.relayLatency
        )
    }

    /// Adds the counts of a cluster, all under `callrunner_redis_` and `callrunner_cluster_`.
    mutating func add(_ counts: ClusterCounts) {
        add(
            .gauge,
            "callrunner_redis_up",
            "1 while Redis is there; without it, rooms are this server's alone.",
            counts.isUp ? 1 : 0
        )
        add(.counter, "callrunner_redis_losses_total", "Times that Redis was lost.", counts.losses)
        add(.gauge, "callrunner_cluster_nodes", "Servers of our kind, with this one.", counts.nodes)
        add(
            .gauge,
            "callrunner_cluster_foreign_nodes",
            "Servers of other makers that share the rooms.",
            counts.foreignNodes
        )
        add(
            .gauge,
            "callrunner_cluster_remote_members",
            "Who is in a room of ours on another server.",
            counts.remoteMembers
        )
        add(
            .counter,
            "callrunner_cluster_published_total",
            "Events passed on to other servers.",
            counts.published
        )
        add(
            .counter,
            "callrunner_cluster_delivered_total",
            "Events of other servers passed on, once for each recipient.",
            counts.delivered
        )
        add(
            .counter,
            "callrunner_cluster_refused_total",
            "Messages over Redis that nothing was done with, by reason.",
            counts.refused
        )
    }
}
