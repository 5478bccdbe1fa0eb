internal import CallCore
internal import CallMedia
internal import GLibKit

/// The request for a call's media, from flags, environment and configuration file.
struct MediaRequest {
    /// The folder of the pipeline templates, if one was named.
    let pipelines: String?
    let source: SourceChoice
    let sourceSettings: SourceSettings
    /// The kinds and directions of media that the call carries.
    let scope: MediaScope
    let sound: AudioSettings
    /// The codecs that the recordings can hold, the best first.
    let codecs: [Codec]
    /// Whether the user listed the codecs.
    let namesCodecs: Bool
    let bitrates: Bitrates?
    let decodingLimit: DecodingLimit
    let iceServers: [ICEServer]
    let isRelayOnly: Bool
    let icePorts: ClosedRange<Int>?
    let addressRule: LocalAddressRule
    let hasRedundancy: Bool
    /// The certificate authorities trusted for TURN over TLS.
    let turnAuthorities: TLSAuthorities
    /// The user's folders for videos and pictures.
    let folders: UserFolders

    /// Creates the request; the containers of `recordings` limit the codecs.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(
        _ flags: MediaFlags,
        _ soundFlags: AudioFlags,
        _ network: NetworkFlags,
        trust: TrustFlags,
        recordings: [Destination] = [],
        _ settings: Settings
    ) throws(Failure) {
        pipelines = try settings.text(.pipelines, flags.pipelines)
        scope = try Self.scope(flags, settings)
        sound = try Self.sound(soundFlags, settings, in: scope)
        source = try Self.source(flags, settings, in: scope, beside: sound)
        sourceSettings = try Self.sourceSettings(flags, settings, for: source)
        codecs = try Self.codecs(flags, settings, recordings, in: scope)
        namesCodecs = settings.entry(.codec, [flags.codec].compactMap(\.self)) != nil
        bitrates = try settings.value(.bitrate, flags.bitrate, Bitrates.init)
        decodingLimit = try settings.required(.maxResolution, flags.maxResolution, Self.decodingLimit)
        iceServers =
            try settings.list(.stun, network.stun, ICEServerText.stun)
            + settings.list(.turn, network.turn, ICEServerText.turn)
        isRelayOnly = try settings.isOn(.relayOnly, network.relayOnly)
        icePorts = try settings.value(.icePorts, network.icePorts, PathText.ports)
        addressRule = try Self.addressRule(network, settings)
        hasRedundancy = try settings.isOn(.fec, network.fec)
        let authority = try settings.value(.cacert, trust.cacert, SettingText.readableFile)
        turnAuthorities =
            try settings.isOn(.insecure, trust.insecure)
            ? .anybody : authority.map(TLSAuthorities.file) ?? .system
        folders = UserFolders(environment: settings.environment)
    }

    /// Creates the configuration of a media service; `names` fill the placeholders in file names.
    func configuration(
        _ installation: Installation,
        _ names: [NameTemplate.Placeholder: String]
    ) -> MediaConfiguration {
        var configuration = MediaConfiguration(
            source: source,
            testVideo: installation.testVideo,
            library: installation.library
        )
        configuration.sourceSettings = sourceSettings
        configuration.sound = sound
        configuration.codecs = codecs
        configuration.scope = scope
        configuration.prefersReadyCodecs = !namesCodecs
        if let bitrates {
            configuration.startBitrate = bitrates.start
            configuration.bitrates = bitrates.minimum...bitrates.maximum
        }
        configuration.decodingLimit = decodingLimit
        configuration.iceServers = iceServers
        configuration.relayOnly = isRelayOnly
        configuration.turnAuthorities = turnAuthorities
        configuration.icePorts = icePorts
        configuration.addressRule = addressRule
        if hasRedundancy { configuration.redundancyPercent = 20 }
        configuration.keptFiles = OutputFolders(
            videos: folders.path(.videos),
            pictures: folders.path(.pictures),
            names: names
        )
        return configuration
    }
}
