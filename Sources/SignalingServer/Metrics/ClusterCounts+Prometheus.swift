extension PrometheusText {
    /// Adds the counts of a cluster, all under `callrunner_redis_` and `callrunner_cluster_`.
    mutating func add(_ counts: ClusterCounts) {
        add(
            .gauge,
            "callrunner_redis_up",
            "1 while Redis is connected; without it, rooms are not shared.",
            counts.isUp ? 1 : 0
        )
        add(.counter, "callrunner_redis_losses_total", "Lost connections to Redis.", counts.losses)
        add(
            .gauge,
            "callrunner_cluster_nodes",
            "callrunner servers in the cluster, including this one.",
            counts.nodes
        )
        add(
            .gauge,
            "callrunner_cluster_foreign_nodes",
            "Other implementations that share the rooms.",
            counts.foreignNodes
        )
        add(
            .gauge,
            "callrunner_cluster_remote_members",
            "Members on other servers, in rooms of this one.",
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
            "Events from other servers relayed, counted per recipient.",
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
