package import RedisKit

/// How a server shares its rooms with others.
package struct ClusterConfiguration: Hashable, Sendable {
    package var redis: RedisConfiguration
    /// Within what time the others know that a server is gone.
    package var heartbeat: Duration = .seconds(5)

    package init(_ redis: RedisConfiguration) { self.redis = redis }

    /// How long a sign of life holds; together with one interval, the heartbeat.
    var lifetime: Duration { heartbeat - interval }

    /// From a sign of life to the next.
    var interval: Duration { heartbeat / 5 }
}
