internal import CallCore
internal import CallMedia

extension MediaRequest {
    /// Reads the settings for the capture and playback of audio.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func sound(
        _ flags: AudioFlags,
        _ settings: Settings,
        in scope: MediaScope
    ) throws(Failure) -> AudioSettings {
        var sound = AudioSettings()
        sound.microphone = try settings.value(.microphone, flags.microphone, choice) ?? .automatic
        sound.speaker = try settings.value(.speaker, flags.speaker, choice) ?? .automatic
        try check(flags, sound, in: scope)
        sound.volume = try settings.required(.volume, flags.volume) { text in
            let number = text.hasSuffix("%") ? String(text.dropLast()) : text
            return try SettingText.number(in: AudioSettings.volumes)(number)
        }
        sound.processing = try settings.value(.audioProcessing, flags.audioProcessing, processing)
        sound.capture = SoundCard.system(.capture, settings.environment)
        sound.playback = SoundCard.system(.playback, settings.environment)
        return sound
    }

    /// Checks that the named devices would be used.
    ///
    /// - Throws: `Failure` with exit code 64.
    private static func check(
        _ flags: AudioFlags,
        _ sound: AudioSettings,
        in scope: MediaScope
    ) throws(Failure) {
        let hasSound = scope.kinds.contains(.audio)
        if flags.microphone != nil, sound.microphone != .none, !hasSound || !scope.sends {
            throw .usage(
                "\(hasSound ? "--recvonly" : "--media video") sends no sound that --microphone could hear",
                hint: "leave one out"
            )
        }
        if flags.speaker != nil, sound.speaker != .none, !hasSound || !scope.receives {
            throw .usage(
                "\(hasSound ? "--sendonly" : "--media video") receives no sound that --speaker could play",
                hint: "leave one out"
            )
        }
    }

    private static func choice(_ text: String) throws -> AudioSettings.Choice {
        guard !text.isEmpty else {
            throw SettingText.Problem("an empty name is no device; give default, none or a name")
        }
        return AudioSettings.Choice(text)
    }

    private static func processing(_ text: String) throws -> Set<VoiceProcessing> {
        guard text != "none" else { return [] }
        return try Set(
            text.split(separator: ",", omittingEmptySubsequences: false).map { name in
                guard let processing = VoiceProcessing(rawValue: String(name)) else {
                    throw SettingText.Problem(
                        "“\(name)” is no processing of sound; give echo, noise, gain, several with commas, or none"
                    )
                }
                return processing
            }
        )
    }
}
