internal import ArgumentParser
internal import RedisKit
internal import SignalingServer

/// The flags for a cluster of servers that share their rooms.
struct ClusterFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Share the rooms with other servers through redis[s]://[USER:PASSWORD@]HOST[:PORT][/DB]; "
                + "to hide a password from `ps`, use the environment or the configuration file",
            .redis,
            "url"
        )
    )
    var redis: String?

    @Option(
        help: ArgumentHelp(
            "Trusted certificate authorities for rediss://, as PEM",
            .redisAuthorities,
            "file",
            otherwise: "the system's"
        )
    )
    var redisCacert: String?

    @Option(
        help: ArgumentHelp(
            "Time after which other servers consider this one dead, 1s to 5m",
            .heartbeat,
            "duration"
        )
    )
    var heartbeat: String?

    /// Creates the configuration of the cluster from the flags and settings; nil if the server runs alone.
    ///
    /// - Throws: `Failure` with exit code 64; its message does not contain the password.
    func configuration(_ settings: Settings) throws(Failure) -> ClusterConfiguration? {
        let authorities = try settings.value(.redisAuthorities, redisCacert, SettingText.readableFile)
        let heartbeat = try settings.required(.heartbeat, heartbeat, SettingText.duration)
        guard let address = try settings.value(.redis, redis, Self.address) else {
            guard redisCacert == nil, self.heartbeat == nil else {
                throw .usage("--redis-cacert and --heartbeat need --redis", hint: "give --redis URL")
            }
            return nil
        }
        guard heartbeat >= .seconds(1), heartbeat <= .seconds(300) else {
            throw .usage(
                "--heartbeat must be between 1s and 5m",
                hint: "the default is 5s"
            )
        }
        guard authorities == nil || address.isSecure else {
            throw .usage(
                "--redis-cacert has no effect with redis://",
                hint: "write rediss:// for TLS, or leave the flag out"
            )
        }
        var redis = RedisConfiguration(address)
        redis.authorities = authorities
        var cluster = ClusterConfiguration(redis)
        cluster.heartbeat = heartbeat
        return cluster
    }

    private static func address(_ text: String) throws -> RedisAddress {
        do throws(RedisAddressError) { return try RedisAddress(text) } catch {
            throw SettingText.Problem(
                "\(error); write redis://HOST:PORT or rediss://USER:PASSWORD@HOST:PORT/DB"
            )
        }
    }
}
