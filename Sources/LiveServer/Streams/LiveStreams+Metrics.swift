package import HTTPFront

extension LiveStreams {
    /// Adds the metrics of streams, encoders and recordings.
    package func add(to text: inout PrometheusText) {
        let counts = directory.counts
        text.add(
            .gauge,
            "callrunner_live_streams",
            "Live streams.",
            StreamDirectory.Status.allCases.map {
                ([("status", $0.rawValue)], Double(counts[$0, default: 0]))
            }
        )
        let traffic = directory.traffic
        text.add(
            .counter,
            "callrunner_live_received_bytes_total",
            "Bytes of media from encoders.",
            traffic.bytes
        )
        text.add(
            .counter,
            "callrunner_live_received_frames_total",
            "Frames of video from encoders.",
            traffic.frames
        )
        text.add(
            .gauge,
            "callrunner_live_recordings",
            "Recordings that are being made.",
            directory.recordingCount
        )
        text.add(
            .gauge,
            "callrunner_live_recordings_waiting_bytes",
            "Bytes of recordings that wait to be written.",
            recordings.waitingBytes
        )
    }
}
