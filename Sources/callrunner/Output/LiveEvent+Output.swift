internal import Basics
internal import LiveCore

extension LiveEvent {
    /// The name and the fields of the event for `--json`.
    var json: (name: String, fields: JSONObject) {
        switch self {
        case .loading(let address): ("live.loading", ["address": .string(address.shown)])
        case .playing(let format, let latency): ("live.playing", Self.fields(format, latency))
        case .paused: ("live.paused", [:])
        case .buffering: ("live.buffering", [:])
        case .offline(let failure, let retryIn):
            (
                "live.offline",
                Self.fields(failure, retryIn.map { ["retryIn": .number($0 / .seconds(1))] } ?? [:])
            )
        case .notLive(let failure): ("live.offline", Self.fields(failure))
        case .looped: ("live.looped", [:])
        case .skippedAhead(let span): ("live.skipped", ["behind": .number(span / .seconds(1))])
        case .ended: ("live.ended", [:])
        case .failed(let failure): ("live.failed", Self.fields(failure))
        }
    }

    /// The line for the console; nil if no line is needed.
    var line: Line? {
        switch self {
        case .loading(let address): Line(sentence: "loading \(address.shown)", style: .dim)
        case .playing(let format, let latency):
            Line(sentence: "playing \(Self.text(format, latency))", style: .good, weight: .lasting)
        case .paused: Line(sentence: "paused")
        case .buffering: Line(sentence: "waiting for more of the stream", weight: .lasting)
        case .offline(let failure, let retryIn):
            Line(
                sentence: "no stream: \(failure.message)"
                    + (retryIn.map { "; trying again in \(DurationText($0))" } ?? ""),
                style: .failure,
                weight: .lasting
            )
        case .notLive(let failure):
            Line(sentence: "not live yet: \(failure.message)", style: .failure, weight: .lasting)
        case .looped: Line(sentence: "playing again from the beginning", style: .dim)
        case .skippedAhead(let span):
            Line(
                sentence: "playback was \(DurationText(seconds: (span / .seconds(1)).rounded())) behind: "
                    + "skipped ahead to live",
                weight: .lasting
            )
        case .ended: Line(sentence: "the stream has ended", weight: .lasting)
        case .failed: nil  // reported as an error, with its hint
        }
    }

    private static func fields(_ format: LiveFormat, _ latency: Duration?) -> JSONObject {
        var fields: JSONObject = ["live": .bool(format.isLive), "codec": .string(format.codec)]
        if let resolution = format.resolution {
            fields["width"] = .int(resolution.width)
            fields["height"] = .int(resolution.height)
        }
        if let latency { fields["latency"] = .number(latency / .seconds(1)) }
        return fields
    }

    private static func fields(_ failure: LiveFailure, _ others: JSONObject = [:]) -> JSONObject {
        var fields = others
        fields["reason"] = .string(failure.reason.rawValue)
        fields["message"] = .string(failure.message)
        return fields
    }

    private static func text(_ format: LiveFormat, _ latency: Duration?) -> String {
        let parts = [
            format.resolution?.description, format.codec, format.isLive ? "live" : nil,
            latency.map { "\(DurationText(seconds: $0 / .seconds(1))) behind the camera" },
        ]
        return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension LiveAddress {
    /// The address without secrets.
    fileprivate var shown: String {
        switch self {
        case .url(let url): url.withoutURLSecrets
        case .file(let path): path
        }
    }
}
