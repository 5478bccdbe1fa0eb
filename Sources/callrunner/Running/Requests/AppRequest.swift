internal import AppFlow
internal import CallSignaling
internal import GLibKit
internal import WindowKit

/// The options of the app, from flags, environment and configuration file.
struct AppRequest {
    let media: MediaRequest
    /// The server from flags, environment or configuration file; nil for the server that is set in the app.
    let server: String?
    let token: String?
    /// The server of the account from environment or configuration file; nil for the same server as for calls.
    let api: String?
    /// The authorities that are trusted for HTTPS.
    let trust: TLSAuthorities
    let control: ControlPlace?
    /// The part of the app that is shown first.
    let opening: AppFlow.Destination
    /// Whether every control of the window is shown in every state, instead of the app.
    let showsGallery: Bool
    private let caCertificate: String?
    private let insecure: Bool

    static let withoutDisplay = "use `callrunner call --headless`"

    /// Reads and checks the flags and settings.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(_ flags: OpenApp, _ settings: Settings) throws(Failure) {
        guard let opening = AppFlow.Destination(rawValue: flags.server.open) else {
            let names = AppFlow.Destination.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--open takes one of \(names), and not “\(flags.server.open)”")
        }
        self.opening = opening
        guard !flags.server.headless else {
            throw .usage("the app needs a window, and --headless forbids it", hint: Self.withoutDisplay)
        }
        guard Display.isAvailable(in: settings.environment) else {
            throw .usage(
                "the app needs a display, and none is available",
                hint: "set DISPLAY or WAYLAND_DISPLAY, or \(Self.withoutDisplay)"
            )
        }
        media = try MediaRequest(
            flags.media,
            flags.audio,
            flags.network,
            trust: flags.server.trust,
            settings
        )
        let named = settings.entry(.server, [flags.server.server].compactMap(\.self))
        let url = try settings.required(.server, flags.server.server, SettingText.serverURL)
        server = named?.origin == .byDefault ? nil : url
        token = try settings.text(.token, flags.server.token)
        api = try settings.value(.api, nil, SettingText.serverURL)
        trust = try flags.server.trust.authorities(settings)
        showsGallery = flags.server.gallery
        control = try settings.value(.control, flags.control.control, ControlPlace.init)
        caCertificate = try settings.value(.cacert, flags.server.trust.cacert, SettingText.readableFile)
        insecure = try settings.isOn(.insecure, flags.server.trust.insecure)
    }

    /// Creates the signaling configuration for rooms on the server at `url`.
    func signaling(url: String, token: String?) -> SignalingConfiguration {
        var configuration = SignalingConfiguration(serverURL: url)
        configuration.token = token
        configuration.caCertificate = caCertificate
        configuration.insecure = insecure
        // The room's screen shows the reason, and counts down to the next attempt.
        configuration.failsAtOnce = true
        return configuration
    }
}
