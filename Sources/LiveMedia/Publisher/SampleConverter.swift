internal import GStreamerKit
internal import RTMP
internal import Synchronization

/// A converter from the samples of one track to messages.
final class SampleConverter: Sendable {
    private let clock: PublishClock
    private let isVideo: Bool
    /// The configuration of the previous sample.
    private let configuration = Mutex<[UInt8]?>(nil)

    init(clock: PublishClock, isVideo: Bool) { (self.clock, self.isVideo) = (clock, isVideo) }

    /// The properties of a stream with video of a format, and perhaps audio.
    private static func metadata(_ caps: Caps) -> AMFObject {
        var metadata: AMFObject = ["encoder": "callrunner", "videocodecid": 7, "audiocodecid": 10]
        for name in ["width", "height"] {
            guard let value = caps.int(name) else { continue }
            metadata.members.append(AMFObject.Member(name: name, value: .number(Double(value))))
        }
        return metadata
    }

    /// Returns the message of a sample, after that of its configuration if it is new.
    func items(of sample: MediaSample) -> [PublishQueue.Item] {
        guard let presentation = sample.presentationTime, let bytes = sample.withBytes({ Array($0) }) else {
            return []
        }
        let decoding = min(sample.decodeTime ?? presentation, presentation)
        let timestamp = UInt32(truncatingIfNeeded: clock.milliseconds(decoding))
        var items: [PublishQueue.Item] = []
        let header = sample.caps.bytes(of: "codec_data")
        let isNew = configuration.withLock { last in
            defer { last = header }
            return last != header
        }
        if isNew, isVideo { items.append(.metadata(Self.metadata(sample.caps))) }
        if isNew, let header {
            items.append(
                isVideo
                    ? .video(.configuration(header[...]), timestamp: timestamp)
                    : .audio(.configuration(header[...]), timestamp: timestamp)
            )
        }
        let offset = Int(clock.milliseconds(presentation)) - Int(clock.milliseconds(decoding))
        items.append(
            isVideo
                ? .video(
                    .frame(isKeyframe: sample.isKeyframe, offset: offset, bytes[...]),
                    timestamp: timestamp
                )
                : .audio(.frame(bytes[...]), timestamp: timestamp)
        )
        return items
    }
}

/// The common time zero of the tracks, which is that of the first sample.
final class PublishClock: Sendable {
    private let start = Mutex<UInt64?>(nil)

    /// Returns the time since the first sample in milliseconds; 0 for earlier ones.
    func milliseconds(_ time: UInt64) -> UInt64 {
        let first = start.withLock { start in
            let first = start ?? time
            start = first
            return first
        }
        return (time - min(time, first)) / 1_000_000
    }
}
