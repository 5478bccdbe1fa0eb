internal import CallCore
internal import HTTPFront
internal import MediaKit
internal import SignalingServer

/// A value of a metric for one call, with its labels.
private typealias Sample = (labels: [PrometheusText.Label], value: Double)

extension PrometheusText {
    /// Adds the metrics of calls; their names begin with `callrunner_`, and their labels include room and
    /// role.
    mutating func add(_ calls: [CallMeasures]) {
        let samples = calls.map { CallSample($0) }
        addCalls(samples)
        addDirection("received", "Received", samples.flatMap(\.incoming))
        addReceived(samples)
        addDirection("sent", "Sent", samples.flatMap(\.outgoing))
        add(
            .gauge,
            "callrunner_sent_passthrough",
            "1 if the media is sent as the source delivers it, without encoding.",
            samples.flatMap(\.outgoing).map { ($0.labels, $0.isPassthrough ? 1 : 0) }
        )
    }

    private mutating func addCalls(_ calls: [CallSample]) {
        add(
            .gauge,
            "callrunner_call_connected",
            "1 while media flows between the peers.",
            calls.map { ($0.labels, $0.figures.isConnected ? 1 : 0) }
        )
        add(
            .counter,
            "callrunner_call_attempts_total",
            "Attempts to establish a connection.",
            calls.map { ($0.labels, Double($0.figures.attempts)) }
        )
        add(
            .counter,
            "callrunner_call_connections_total",
            "Attempts that connected media.",
            calls.map { ($0.labels, Double($0.figures.connections)) }
        )
        add(
            .counter,
            "callrunner_calls_ended_total",
            "Calls that have ended, by reason.",
            calls.flatMap { call in
                call.figures.ended.sorted { $0.key < $1.key }.map { reason, count in
                    (call.labels + [("reason", reason)], Double(count))
                }
            }
        )
        add(
            .gauge,
            "callrunner_round_trip_time_seconds",
            "Round-trip time from the peer's receiver reports.",
            calls.compactMap { call in call.figures.now?.rttMs.map { (call.labels, $0 / 1000) } }
        )
    }

    private mutating func addDirection(_ name: String, _ word: String, _ flows: [CallSample.Flow]) {
        func all(_ value: (CallSample.Flow) -> Double?) -> [Sample] {
            flows.compactMap { flow in value(flow).map { (flow.labels, $0) } }
        }
        add(
            .counter,
            "callrunner_\(name)_packets_total",
            "\(word) RTP packets since the latest attempt began.",
            all { Double($0.packets) }
        )
        add(
            .counter,
            "callrunner_\(name)_bytes_total",
            "\(word) bytes in RTP packets since the latest attempt began.",
            all { Double($0.bytes) }
        )
        add(
            .counter,
            "callrunner_\(name)_frames_total",
            "\(word) video frames since the latest attempt began.",
            all(\.frames)
        )
        add(
            .gauge,
            "callrunner_\(name)_frames_per_second",
            "\(word) video frames in the last second.",
            all(\.framesPerSecond)
        )
        add(
            .gauge,
            "callrunner_\(name)_codec_info",
            "Codec of the \(name) media; always 1.",
            flows.map { ($0.labels + [("codec", $0.codec)], 1) }
        )
    }

    private mutating func addReceived(_ calls: [CallSample]) {
        let video = calls.compactMap { call in call.now.videoIn.map { (call.labels, $0) } }
        let both = calls.flatMap { call in
            [("video", call.now.videoIn), ("audio", call.now.audioIn)].compactMap { kind, flow in
                flow.map { (call.labels + [("kind", kind)], $0) }
            }
        }
        add(
            .counter,
            "callrunner_received_packets_lost_total",
            "Expected packets that were not received.",
            both.map { ($0, Double($1.lost)) }
        )
        add(
            .gauge,
            "callrunner_received_jitter_seconds",
            "Interarrival jitter (RFC 3550).",
            both.map { ($0, $1.jitterMs / 1000) }
        )
        add(
            .counter,
            "callrunner_received_freezes_total",
            "Video freezes as defined by W3C WebRTC statistics.",
            video.map { ($0, Double($1.freezes)) }
        )
        add(
            .gauge,
            "callrunner_received_picture_width_pixels",
            "Width of the last video frame.",
            video.map { ($0, Double($1.width)) }
        )
        add(
            .gauge,
            "callrunner_received_picture_height_pixels",
            "Height of the last video frame.",
            video.map { ($0, Double($1.height)) }
        )
        add(
            .gauge,
            "callrunner_received_audio_level_dbov",
            "Audio level from -127 (silence) to 0 (loudest).",
            calls.compactMap { call in call.now.audioIn?.level.map { (call.labels, $0) } }
        )
    }
}

/// The current measurements of one call, with their labels.
private struct CallSample {
    /// The measurements of one kind of media in one direction.
    struct Flow {
        var labels: [PrometheusText.Label]
        var codec: String
        var packets: Int
        var bytes: Int
        var frames: Double?
        var framesPerSecond: Double?
        var isPassthrough = false
    }

    let figures: CallMeasures.Figures
    let labels: [PrometheusText.Label]

    init(_ call: CallMeasures) {
        figures = call.figures
        labels = [("room", "\(call.room)"), ("role", call.role.rawValue)]
    }

    var now: CallStatistics { figures.latest ?? CallStatistics() }

    var incoming: [Flow] {
        [("video", now.videoIn), ("audio", now.audioIn)].compactMap { kind, flow in
            flow.map {
                Flow(
                    labels: labels + [("kind", kind)],
                    codec: $0.codec,
                    packets: $0.packets,
                    bytes: $0.bytes,
                    frames: kind == "video" ? Double($0.frames) : nil,
                    framesPerSecond: kind == "video" ? rate($0.fps) : nil
                )
            }
        }
    }

    var outgoing: [Flow] {
        [("video", now.videoOut), ("audio", now.audioOut)].compactMap { kind, flow in
            flow.map {
                Flow(
                    labels: labels + [("kind", kind)],
                    codec: $0.codec,
                    packets: $0.packets,
                    bytes: $0.bytes,
                    frames: kind == "video" ? Double($0.frames) : nil,
                    framesPerSecond: kind == "video" ? rate($0.fps) : nil,
                    isPassthrough: $0.passthrough
                )
            }
        }
    }

    /// Returns the frame rate `last`, or 0 between calls.
    private func rate(_ last: Double) -> Double { figures.now == nil ? 0 : last }
}
