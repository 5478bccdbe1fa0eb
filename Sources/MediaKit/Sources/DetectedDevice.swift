package import Basics
internal import FoundationEssentials
internal import GStreamerKit

/// A camera, microphone, loudspeaker or screen of this computer.
package struct DetectedDevice: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case camera, microphone, speaker, screen
    }

    package var kind: Kind
    /// The name shown to users.
    package var name: String
    /// The path of a camera, the name of an audio device as for `--microphone` and `--speaker`, or the
    /// display of a screen.
    package var id: String
    /// The supported formats as text; empty if the device does not report them.
    package var formats: [String]

    /// Returns all devices, cameras first; it queries the drivers but captures nothing.
    @MediaActor
    package static func all(environment: [String: String]) -> [DetectedDevice] {
        inCalls() + [screen(environment["DISPLAY"])].compactMap(\.self)
    }

    /// Returns all devices except screens, cameras first.
    @MediaActor
    static func inCalls() -> [DetectedDevice] {
        let known = Device.all(of: ["Video/Source", "Audio/Source", "Audio/Sink"]).compactMap(
            DetectedDevice.init
        )
        let paths = SourceOpener.cameras.filter { path in !known.contains { $0.id == path } }
        let cameras = known.filter { $0.kind == .camera } + paths.map(camera)
        return cameras + known.filter { $0.kind != .camera }
    }

    private init(kind: Kind, name: String, id: String, formats: [String]) {
        (self.kind, self.name, self.id, self.formats) = (kind, name, id, formats)
    }

    private init?(_ device: Device) {
        let kind: Kind
        switch device.deviceClass {
        case "Video/Source", "Source/Video": kind = .camera
        case "Audio/Source", "Source/Audio": kind = .microphone
        case "Audio/Sink", "Sink/Audio": kind = .speaker
        default: return nil
        }
        // PulseAudio's monitor sources capture a loudspeaker's output and are not microphones.
        guard kind != .microphone || device.properties["device.class"] != "monitor" else { return nil }
        let path = ["device.path", "api.v4l2.path"].lazy.compactMap { device.properties[$0] }.first
        let id = (kind == .camera ? path : device.address) ?? device.name
        let formats = kind == .camera ? videoFormats(device.caps) : audioFormats(device.caps)
        self.init(kind: kind, name: device.name, id: id, formats: formats)
    }

    /// Creates a camera that no GStreamer device provider reports because udev is missing.
    @MediaActor
    private static func camera(_ path: String) -> DetectedDevice {
        let element = try? Element(factory: "v4l2src")
        element?.set("device", path)
        return DetectedDevice(
            kind: .camera,
            name: path,
            id: path,
            formats: videoFormats(element?.capsOfOpenDevice())
        )
    }

    @MediaActor
    private static func screen(_ display: String?) -> DetectedDevice? {
        guard let display, !display.isEmpty, let element = try? Element(factory: "ximagesrc") else {
            return nil
        }
        element.set("display-name", display)
        let formats = videoFormats(element.capsOfOpenDevice(), includesRate: false)
        return formats.isEmpty
            ? nil : DetectedDevice(kind: .screen, name: "X11 display", id: display, formats: formats)
    }
}

// MARK: - Devices without screens

extension MediaDevice {
    /// Lists the cameras, microphones and loudspeakers that are connected now.
    @MediaActor package static func connected() -> [MediaDevice] {
        DetectedDevice.inCalls().compactMap { device in
            Kind(device.kind).map { MediaDevice($0, id: device.id, name: device.name) }
        }
    }
}

extension MediaDevice.Kind {
    /// Converts the kind; nil for a screen, which is not selected like a device.
    fileprivate init?(_ kind: DetectedDevice.Kind) {
        switch kind {
        case .camera: self = .camera
        case .microphone: self = .microphone
        case .speaker: self = .speaker
        case .screen: return nil
        }
    }
}

// MARK: - Descriptions of formats

/// Describes video formats, such as `YUY2 640x480 30 fps`, the largest first.
private func videoFormats(_ caps: Caps?, includesRate: Bool = true) -> [String] {
    var seen: Set<String> = []
    return (caps?.videoFormats ?? []).sorted {
        ($0.widths.upperBound, $0.fastest) > ($1.widths.upperBound, $1.fastest)
    }.compactMap { format in
        let coding =
            switch CameraFormat.Coding(rawValue: format.mediaType) {
            case .raw?: format.pixels ?? "raw"
            case .motionJPEG?: "Motion JPEG"
            case .h264?: "H.264"
            case nil: format.mediaType
            }
        let rate = includesRate && format.fastest > 0 ? " \(Int(format.fastest.rounded())) fps" : ""
        let text = "\(coding) \(words(format.widths))x\(words(format.heights))\(rate)"
        return seen.insert(text).inserted ? text : nil
    }
}

/// Describes audio formats, such as `48000 Hz 2 channels`.
private func audioFormats(_ caps: Caps?) -> [String] {
    var seen: Set<String> = []
    return (caps?.audioFormats ?? []).compactMap { format in
        let channels = words(format.channels)
        let text = "\(words(format.rates)) Hz \(channels) channel\(channels == "1" ? "" : "s")"
        return seen.insert(text).inserted ? text : nil
    }
}

private func words(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
}
