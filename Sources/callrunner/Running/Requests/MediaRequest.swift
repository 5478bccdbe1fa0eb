internal import CallCore
internal import CallMedia
internal import GLibKit

/// The media of calls as flags, environment and file ask for them.
struct MediaRequest {
    /// Where the pipeline descriptions are said to be.
    let pipelines: String?
    let source: SourceChoice
    let sourceSettings: SourceSettings
    /// What the call is to carry.
    let scope: MediaScope
    let sound: AudioSettings
    /// Best first; what the recordings cannot hold is left out.
    let codecs: [Codec]
    /// Whether the user gave their order.
    let namesCodecs: Bool
    let bitrates: Bitrates?
    let decodingLimit: DecodingLimit
    let iceServers: [ICEServer]
    let isRelayOnly: Bool
    let icePorts: ClosedRange<Int>?
    let addressRule: LocalAddressRule
    let hasRedundancy: Bool
    /// Whom to believe that a TURN server over TLS is the one that was named.
    let turnAuthorities: TLSAuthorities
    /// Where a person's videos and pictures go.
    let folders: UserFolders

    /// The containers of `recordings` narrow the codecs.
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

    /// What a media service is told; `names` fill the names of files that are kept.
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
