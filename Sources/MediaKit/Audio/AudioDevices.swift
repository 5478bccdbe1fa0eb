internal import Basics
package import GStreamerKit

/// The microphone and loudspeaker that a request selects.
@MediaActor
package struct AudioDevices {
    /// The loudspeaker; nil if no audio is played.
    package let loudspeaker: Loudspeaker?
    private let playback: AudioDevice?
    private let capture: AudioDevice?
    /// The previously chosen devices that are not available now.
    private let missing: [MediaDevice]
    private let capturesVoice: Bool
    /// Whether the user explicitly chose a microphone, or none; otherwise the choice depends on the source.
    private let isAsked: Bool
    private let processing: Set<VoiceProcessing>
    private let library: PipelineLibrary
    private let notify: @Sendable (MediaNotice) -> Void

    /// Finds the devices without opening them.
    ///
    /// - Parameters:
    ///   - request: the devices to find.
    ///   - meter: measures the audio that is played.
    ///   - notify: receives notices about the devices in use and about missing devices.
    /// - Throws: `MediaFailure` if a named device is missing or a requested feature is unavailable.
    package init(
        _ request: AudioRequest,
        meter: AudioMeter,
        notify: @escaping @Sendable (MediaNotice) -> Void
    ) throws {
        let audio = request.settings
        (library, self.notify) = (request.library, notify)
        let isWanted =
            switch audio.microphone {
            case .automatic: request.source.mayBeSilent
            case .none: false
            case .standard, .named: true
            }
        capturesVoice = isWanted && request.sends
        isAsked = audio.microphone != .automatic
        let microphone = capturesVoice ? try Self.microphone(request, notify) : Found()
        capture = microphone.device
        let playsAudio = audio.speaker != .automatic || request.needsSpeaker
        let receivesAudio = playsAudio && request.receives
        let speaker = receivesAudio ? try Self.speaker(request, notify) : Found()
        playback = speaker.device
        missing = [microphone.missing, speaker.missing].compactMap(\.self)
        if playback == nil, receivesAudio, audio.speaker == .standard {
            notify(.warning("there is no loudspeaker, so the peer's audio is not played"))
        }
        processing = try Self.processing(audio.processing, capture, playback, notify)
        loudspeaker = playback.map { device in
            Loudspeaker(device, meter: meter, library: request.library) { notify(.warning($0)) }
        }
    }

    /// The device to use; `missing` is the previously chosen but unavailable device that it replaces, if any.
    struct Found {
        var device: AudioDevice?
        var missing: MediaDevice?
    }

    static func microphone(
        _ request: AudioRequest,
        _ notify: (MediaNotice) -> Void
    ) throws(MediaFailure) -> Found {
        let (audio, preferred) = (request.settings, request.preferred[.microphone])
        return try find(audio.microphone, or: preferred, .capture, audio.capture, notify)
    }

    static func speaker(
        _ request: AudioRequest,
        _ notify: (MediaNotice) -> Void
    ) throws(MediaFailure) -> Found {
        let (audio, preferred) = (request.settings, request.preferred[.speaker])
        return try find(audio.speaker, or: preferred, .playback, audio.playback, notify)
    }

    /// Finds the previously chosen device if the choice is automatic and the device exists, else the device
    /// of `choice`.
    private static func find(
        _ choice: AudioSettings.Choice,
        or preferred: MediaDevice?,
        _ direction: AudioDevice.Direction,
        _ system: AudioSystem?,
        _ notify: (MediaNotice) -> Void
    ) throws(MediaFailure) -> Found {
        let chosen = choice == .automatic ? preferred : nil
        if let device = chosen.flatMap({ find($0, direction, notify) }) { return Found(device: device) }
        return Found(device: try find(choice, direction, system, notify), missing: chosen)
    }

    /// Finds the device of `choice`; if its plugin is missing, warns and returns nil for an automatic choice,
    /// and throws otherwise.
    private static func find(
        _ choice: AudioSettings.Choice,
        _ direction: AudioDevice.Direction,
        _ system: AudioSystem?,
        _ notify: (MediaNotice) -> Void
    ) throws(MediaFailure) -> AudioDevice? {
        guard let device = try AudioDevice.find(choice, direction, on: system) else { return nil }
        let missing = GStreamer.missing([device.element])
        guard !missing.isEmpty else { return device }
        guard choice == .automatic else { throw .missingPlugin(missing) }
        notify(.warning("the plugin \(device.element) is missing; callrunner doctor names its package"))
        return nil
    }

    /// Finds a previously chosen device; if it is missing, warns and returns nil.
    private static func find(
        _ chosen: MediaDevice,
        _ direction: AudioDevice.Direction,
        _ notify: (MediaNotice) -> Void
    ) -> AudioDevice? {
        if let device = try? AudioDevice.find(.named(chosen.id), direction, on: nil),
            GStreamer.missing([device.element]).isEmpty
        {
            return device
        }
        notify(.warning("the \(chosen.kind.rawValue) \(chosen.name), chosen earlier, is not connected"))
        return nil
    }

    /// Returns the voice processing to apply.
    ///
    /// The default is all features if there is a loudspeaker, which may cause echo, and none otherwise.
    private static func processing(
        _ wanted: Set<VoiceProcessing>?,
        _ capture: AudioDevice?,
        _ playback: AudioDevice?,
        _ notify: (MediaNotice) -> Void
    ) throws(MediaFailure) -> Set<VoiceProcessing> {
        guard capture != nil else { return [] }
        var processing = wanted ?? (playback == nil ? [] : Set(VoiceProcessing.allCases))
        guard !processing.isEmpty else { return [] }
        let missing = GStreamer.missing(["webrtcdsp", "webrtcechoprobe"])
        guard missing.isEmpty else {
            guard wanted == nil else { throw .missingPlugin(missing) }
            let consequence = "so the peer may hear itself; callrunner doctor names the package to install"
            notify(.warning("the plugin webrtcdsp is missing, \(consequence)"))
            return []
        }
        if playback == nil, processing.remove(.echo) != nil {
            notify(.warning("there is no loudspeaker, so there is no echo to cancel"))
        }
        return processing
    }

    /// Adds a microphone to the source if it needs one, and reports the devices in use.
    ///
    /// - Throws: `MediaFailure`, `GStreamerError`, or `CancellationError`; the source is then closed.
    package func attachMicrophone(to opened: SourceOpener.Opened) async throws -> SourceOpener.Opened {
        let capturesVoice = capturesVoice && (isAsked || opened.notice.isSilentByNature)
        let used = capturesVoice ? capture : nil
        var opened = opened
        opened.missing += missing.filter { capturesVoice || $0.kind == .speaker }
        if used != nil || playback != nil {
            let processing = used == nil ? [] : processing
            notify(.audioDevices(microphone: used?.name, speaker: playback?.name, processing: processing))
        }
        guard capturesVoice else { return opened }
        let warn = { @Sendable [notify] (message: String) in notify(.warning(message)) }
        let microphone: Microphone
        do {
            let voice =
                processing.isEmpty
                ? nil
                : try VoiceProcessor(processing, library: library, warn: warn)
            if let voice, processing.contains(.echo) {
                loudspeaker?.listener = { voice.hear($0, at: $1) }
            }
            microphone = Microphone(capture, voice: voice, library: library, warn: warn)
        } catch {
            await opened.source.close()
            throw error
        }
        do { try await microphone.open() } catch {
            await microphone.close()
            await opened.source.close()
            throw error
        }
        let reason = capture == nil ? "silence" : "microphone"
        let source = VoicedSource(opened.source, microphone: microphone)
        (opened.source, opened.notice) = (source, opened.notice.speaking(because: reason))
        opened.microphone = microphone
        return opened
    }
}

extension SourceChoice {
    /// Whether the source may be a camera or a screen; a microphone is then used by default.
    @MediaActor fileprivate var mayBeSilent: Bool {
        switch self {
        case .camera, .screen: true
        case .auto: !SourceOpener.cameras.isEmpty
        case .test, .pattern, .none, .file, .url, .description: false
        }
    }
}

extension MediaNotice {
    /// Whether the opened source is a camera or a screen, neither of which delivers audio.
    fileprivate var isSilentByNature: Bool {
        if case .source("camera", _, _, _, _) = self { return true }
        if case .source("screen", _, _, _, _) = self { return true }
        return false
    }

    /// Returns a copy of this source notice that reports locally encoded audio and the `reason` for it.
    fileprivate func speaking(because reason: String) -> MediaNotice {
        guard case .source(let kind, let name, let video, _, let why) = self else { return self }
        return .source(kind: kind, name: name, video: video, audio: .encoded(reason: reason), reason: why)
    }
}
