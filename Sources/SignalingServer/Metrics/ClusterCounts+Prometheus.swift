extension PrometheusText {
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
