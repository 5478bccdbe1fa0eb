internal import LiveCore

/// A setting that can be set by a flag, an environment variable or the configuration file.
enum Setting: String, CaseIterable {
    // A call
    case room, calls, caller, name, server, token, cacert, insecure
    case source, size, fps, start, once
    case microphone, speaker, volume
    case audioProcessing = "audio-processing"
    case window, headless, record
    case maxResolution = "max-resolution"
    case recordLocal = "record-local"
    case recordBoth = "record-both"
    case segment, publish, snapshot
    case snapshotEvery = "snapshot-every"
    case overwrite, codec, bitrate, pipelines
    case media, recvonly, sendonly
    case stun, turn
    case relayOnly = "relay-only"
    case icePorts = "ice-ports"
    case interface, ipv4, ipv6
    case fec
    case duration
    case serverTimeout = "server-timeout"
    case peerTimeout = "peer-timeout"
    case connectTimeout = "connect-timeout"
    case ringTimeout = "ring-timeout"
    case retries, stay, dump, control
    case metricsPort = "metrics-port"
    case repeats = "repeat"
    case pause

    // The server
    case host, port, origin
    case publicHost = "public-host"
    case grace
    case maxConnections = "max-connections"
    case openRooms = "open-rooms"
    case stringPayloads = "string-payloads"
    case auth, hold, drain
    case turnSecret = "turn-secret"
    case turnTTL = "turn-ttl"
    case connectionsPerAddress = "connections-per-address"
    case trustedProxy = "trusted-proxy"
    case connectionsPerMinute = "connections-per-minute"
    case messagesPerSecond = "messages-per-second"
    case bytesPerSecond = "bytes-per-second"
    case chaos, seed
    case liveFile = "live-file"
    case rtmpPort = "rtmp-port"
    case liveToken = "live-token"
    case redis, heartbeat
    case redisAuthorities = "redis-cacert"
    case services, data
    case authCode = "auth-code"
    case smsCommand = "sms-command"
    case jwtKey = "jwt-key"
    case accessTTL = "access-ttl"
    case refreshTTL = "refresh-ttl"
    case replyDelay = "reply-delay"
    case demoPeople = "demo-people"

    // Live streams
    case live

    // Accounts
    case api

    // Chat
    case chat

    // Room tokens
    case key, expires

    // TLS and the log of the server
    case tls
    case tlsCert = "tls-cert"
    case tlsKey = "tls-key"
    case logFormat = "log-format"

    // Every command
    case json, quiet, verbose
    case noColor = "no-color"

    /// The flag on the command line.
    var flag: String { "--\(rawValue)" }

    /// The environment variable, such as `CALLRUNNER_CONNECT_TIMEOUT` for `--connect-timeout`.
    var variable: String {
        "CALLRUNNER_" + String(rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// The default value as a user would write it; nil if there is none, or if the code that reads the
    /// setting chooses it.
    var defaultText: String? {
        switch self {
        case .server: EmbeddedServer.defaultURL
        case .source: "auto"
        case .media: "both"
        case .serverTimeout: "10s"
        case .connectTimeout: "15s"
        case .ringTimeout: "45s"
        case .start: "0s"
        case .volume: "100"
        case .maxResolution: "4096x2304"
        case .repeats, .calls: "1"
        case .pause: "0s"
        case .host: "127.0.0.1"
        case .port: "3000"
        case .grace: "2s"
        case .drain: "10s"
        case .turnTTL: "24h"
        case .connectionsPerMinute: "300"
        case .messagesPerSecond: "200"
        case .bytesPerSecond: "1000000"
        case .heartbeat: "5s"
        case .logFormat: "text"
        case .expires: "1h"
        case .accessTTL: "10m"
        case .refreshTTL: "720h"
        case .live: LiveAddress.standardBase
        case .room, .name, .token, .cacert, .size, .fps, .microphone, .speaker, .audioProcessing,
            .record, .recordLocal, .recordBoth, .segment, .publish, .snapshot, .snapshotEvery, .metricsPort,
            .codec, .bitrate, .pipelines,
            .stun, .turn, .icePorts, .interface, .duration, .peerTimeout, .retries, .dump, .control,
            .origin, .publicHost, .maxConnections,
            .connectionsPerAddress, .trustedProxy, .auth, .turnSecret, .chaos, .seed, .liveFile, .rtmpPort,
            .liveToken,
            .redis, .redisAuthorities, .services, .data, .authCode, .smsCommand, .jwtKey, .replyDelay, .api,
            .chat,
            .key,
            .tls, .tlsCert, .tlsKey:
            nil
        case .caller, .insecure, .once, .window, .headless, .overwrite, .relayOnly, .recvonly, .sendonly,
            .ipv4, .ipv6, .fec, .stay, .openRooms, .hold, .demoPeople,
            .stringPayloads, .json, .quiet, .verbose, .noColor:
            "false"
        }
    }

    /// Whether the setting accepts several values.
    var isList: Bool { self == .stun || self == .turn || self == .trustedProxy }

    /// Whether the setting is a Boolean, so that its flag takes no value.
    var isTruth: Bool { defaultText == "false" }

    /// Whether the value is hidden in all output.
    var isSecret: Bool { [.token, .turn, .redis, .liveToken, .publish].contains(self) }
}
