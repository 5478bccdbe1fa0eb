package import Basics
internal import CallCore
internal import FoundationEssentials
internal import GStreamerKit
internal import MediaKit

// Selecting other devices during a call.

extension LiveMediaService {
    @MediaActor package func devices() async -> [MediaDevice] {
        MediaDevice.connected()
    }

    @MediaActor package func deviceUse() async -> DeviceUse {
        var use = DeviceUse(missing: opened?.missing ?? [])
        if opened?.selectCamera != nil {
            use.selectable.insert(.camera)
            use.used += opened?.camera.map { [MediaDevice(.camera, id: $0, name: $0)] } ?? []
        }
        if let microphone = opened?.microphone {
            use.selectable.insert(.microphone)
            use.used += microphone.device.map { [MediaDevice(.microphone, $0)] } ?? []
        }
        if let loudspeaker {
            use.selectable.insert(.speaker)
            use.used.append(MediaDevice(.speaker, loudspeaker.device))
        }
        return use
    }

    @MediaActor
    package func select(_ device: String, as kind: MediaDevice.Kind) async throws(MediaRefusal) -> String {
        let used: MediaDevice
        do {
            switch kind {
            case .camera: used = try await selectCamera(device)
            case .microphone: used = try await selectMicrophone(device)
            case .speaker: used = try await selectSpeaker(device)
            }
        } catch let refusal as MediaRefusal { throw refusal } catch {
            throw MediaRefusal(.noDevice, MediaFailure(error).sentence)
        }
        noticeContinuation.yield(.selected(used))
        return used.name
    }

    private func selectCamera(_ path: String) async throws -> MediaDevice {
        guard let select = opened?.selectCamera else {
            throw MediaRefusal(
                .noDevice,
                "the source of this call is not a camera, and cannot be changed during the call"
            )
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw MediaRefusal(.noDevice, "there is no camera \(path)")
        }
        try await select(path)
        opened?.camera = path
        return MediaDevice(.camera, id: path, name: path)
    }

    private func selectMicrophone(_ name: String) async throws -> MediaDevice {
        guard let microphone = opened?.microphone else {
            throw MediaRefusal(
                .noDevice,
                "this call sends no microphone audio; start with --microphone to send it"
            )
        }
        let device = try find(name, .capture, configuration.audio.capture)
        try await microphone.select(device)
        return MediaDevice(.microphone, device)
    }

    private func selectSpeaker(_ name: String) async throws -> MediaDevice {
        guard let loudspeaker else {
            throw MediaRefusal(.noDevice, "this call plays no audio; start with --speaker to play it")
        }
        let device = try find(name, .playback, configuration.audio.playback)
        try await loudspeaker.select(device)
        return MediaDevice(.speaker, device)
    }

    private func find(
        _ name: String,
        _ direction: AudioDevice.Direction,
        _ system: AudioSystem?
    ) throws -> AudioDevice {
        let choice = AudioSettings.Choice(name)
        guard choice != .none, let device = try AudioDevice.find(choice, direction, on: system) else {
            throw MediaRefusal(.noDevice, "“\(name)” is not a connected device")
        }
        return device
    }
}

extension MediaDevice {
    fileprivate init(_ kind: Kind, _ device: AudioDevice) {
        self.init(kind, id: device.address ?? device.name, name: device.name)
    }
}
