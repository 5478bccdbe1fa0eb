internal import Basics
internal import CallCore
internal import CallMedia
internal import MediaKit

// The fields of each event, as documented for `--json`.

extension CallSetup {
    var json: JSON {
        let steps: [(String, Int?)] = [
            ("offer", offer), ("answer", answer), ("firstCandidate", firstCandidate), ("ice", ice),
            ("dtls", dtls), ("firstPacket", firstPacket), ("firstFrame", firstFrame),
        ]
        var object: JSONObject = [:]
        for (name, time) in steps { if let time { object[name] = .int(time) } }
        return .object(object)
    }
}

extension CallStatistics {
    var fields: JSONObject {
        var object: JSONObject = [:]
        if let video = Self.direction(videoIn?.json(.video), videoOut?.json(.video)) {
            object["video"] = video
        }
        if let audio = Self.direction(audioIn?.json(.audio), audioOut?.json(.audio)) {
            object["audio"] = audio
        }
        if let rttMs { object["rttMs"] = .number(rttMs) }
        if let bits = availableOutgoingBitrate { object["availableOutgoingBitrate"] = .int(bits) }
        return object
    }

    private static func direction(_ incoming: JSON?, _ outgoing: JSON?) -> JSON? {
        guard incoming != nil || outgoing != nil else { return nil }
        var object: JSONObject = [:]
        if let incoming { object["in"] = incoming }
        if let outgoing { object["out"] = outgoing }
        return .object(object)
    }
}

extension CallStatistics.Incoming {
    func json(_ kind: MediaKind) -> JSON {
        var object: JSONObject = [:]
        if kind == .video {
            object["fps"] = .number(fps)
            object["width"] = .int(width)
            object["height"] = .int(height)
            object["frames"] = .int(frames)
            object["freezes"] = .int(freezes)
        }
        object["bitrate"] = .int(bitrate)
        object["codec"] = .string(codec)
        object["packets"] = .int(packets)
        object["bytes"] = .int(bytes)
        object["lost"] = .int(lost)
        object["jitterMs"] = .number(jitterMs)
        object["jitterBufferMs"] = .int(jitterBufferMs)
        if kind == .video {
            object["nack"] = .int(nack)
            object["retransmitted"] = .int(retransmitted)
            object["pli"] = .int(pli)
        }
        if let level { object["level"] = .number(level) }
        return .object(object)
    }
}

extension CallStatistics.Outgoing {
    func json(_ kind: MediaKind) -> JSON {
        var object: JSONObject = [:]
        if kind == .video {
            object["fps"] = .number(fps)
            object["frames"] = .int(frames)
        }
        object["bitrate"] = .int(bitrate)
        object["packets"] = .int(packets)
        object["bytes"] = .int(bytes)
        object["codec"] = .string(codec)
        object["passthrough"] = .bool(passthrough)
        if let encoder { object["encoder"] = .string(encoder) }
        if kind == .video {
            if let target, !passthrough { object["target"] = .int(target) }
            object["nack"] = .int(nack)
            object["retransmitted"] = .int(retransmitted)
            object["pli"] = .int(pli)
        }
        if let level { object["level"] = .number(level) }
        return .object(object)
    }
}

extension MediaNotice {
    /// The event's name and fields for `--json`; nil if the notice is not reported there.
    var event: (name: String, fields: JSONObject)? {
        switch self {
        case .source(let kind, let name, let video, let audio, let reason):
            var passthrough: JSONObject = [:]
            if let video { passthrough["video"] = .bool(video.isUntouched) }
            if let audio { passthrough["audio"] = .bool(audio.isUntouched) }
            var fields: JSONObject = [
                "kind": .string(kind), "name": .string(name), "passthrough": .object(passthrough),
            ]
            if let reason { fields["reason"] = .string(reason) }
            return ("source", fields)
        case .audioDevices(let microphone, let speaker, let processing):
            let names = VoiceProcessing.allCases.filter(processing.contains).map(\.rawValue)
            var fields: JSONObject = ["processing": .array(names.map(JSON.string))]
            if let microphone { fields["microphone"] = .string(microphone) }
            if let speaker { fields["speaker"] = .string(speaker) }
            return ("sound", fields)
        case .selected(let device):
            return (
                "device.selected",
                [
                    "kind": .string(device.kind.rawValue), "id": .string(device.id),
                    "name": .string(device.name),
                ]
            )
        case .recordingStarted(let path, let sides):
            let names = MediaSide.allCases.filter(sides.contains).map(\.rawValue)
            return ("record.started", ["path": .string(path), "sides": .array(names.map(JSON.string))])
        case .recordingFailed(let path, let message):
            return ("record.failed", ["path": .string(path), "message": .string(message)])
        case .recordingSaved(let saved):
            return (
                "record.saved",
                [
                    "path": .string(saved.path), "bytes": .int(saved.bytes),
                    "seconds": .number((saved.seconds * 1000).rounded() / 1000),
                    "start": .number((saved.start * 1000).rounded() / 1000),
                    "tracks": .array(saved.tracks.map(JSON.string)),
                ]
            )
        case .snapshotSaved(let path, let bytes):
            return ("snapshot.saved", ["path": .string(path), "bytes": .int(bytes)])
        case .recordingEmpty(let path): return ("record.empty", ["path": .string(path)])
        case .warning(let message): return ("warning", ["message": .string(message)])
        case .failed, .graph: return nil  // failures are reported as errors; graphs are only for dumps
        }
    }

    /// The sentence for the console; nil if the console does not report the notice.
    var sentence: String? {
        switch self {
        case .source(_, let name, _, _, let reason):
            "sending \(name)\(reason.map { " (\($0))" } ?? "")"
        case .audioDevices(let microphone, let speaker, let processing):
            Self.sentence(microphone, speaker, processing)
        case .selected(let device): "\(device.kind.rawValue): \(device.name)"
        case .recordingStarted(let path, _): "recording to \(path)"
        case .recordingFailed(_, let message): "\(message); the call goes on"
        case .recordingSaved(let saved):
            "recorded \(saved.path): \(StatusText.trim(saved.seconds)) s, \(saved.bytes / 1024) KB, "
                + saved.tracks.joined(separator: " + ")
        case .snapshotSaved(let path, let bytes): "saved a snapshot to \(path): \(max(1, bytes / 1024)) KB"
        case .recordingEmpty(let path): "no media to record, so \(path) was not written"
        case .warning(let message): message
        case .failed(let failure): failure.sentence
        case .graph: nil
        }
    }

    private static func sentence(
        _ microphone: String?,
        _ speaker: String?,
        _ processing: Set<VoiceProcessing>
    ) -> String {
        let works = VoiceProcessing.allCases.filter(processing.contains).map { work in
            switch work {
            case .echo: "echo cancellation"
            case .noise: "noise suppression"
            case .gain: "gain control"
            }
        }
        let devices = [microphone.map { "microphone \($0)" }, speaker.map { "loudspeaker \($0)" }]
        return (devices.compactMap(\.self) + works).joined(separator: ", ")
    }
}
