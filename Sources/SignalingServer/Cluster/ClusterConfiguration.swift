package import RedisKit

/// The settings of a server that shares its rooms with others.
package struct ClusterConfiguration: Hashable, Sendable {
    package var redis: RedisConfiguration
    /// The time within which the other servers detect that a server has failed.
    package var heartbeat: Duration = .seconds(5)

    package init(_ redis: RedisConfiguration) { self.redis = redis }

    /// The time until a heartbeat expires: `heartbeat` minus one interval.
    var lifetime: Duration { heartbeat - interval }

    /// The time from one heartbeat to the next.
    var interval: Duration { heartbeat / 5 }
}
