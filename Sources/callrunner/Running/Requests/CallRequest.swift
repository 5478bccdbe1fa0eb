internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia
internal import CallSignaling
internal import FoundationEssentials
internal import Glibc
internal import MediaKit
internal import WindowKit

/// The options of a call, from flags, environment and configuration file, checked before the call starts.
struct CallRequest {
    let plan: CallPlan
    /// The URL of the server from flags, environment or configuration file; nil if none is given.
    let namedServer: String?
    let media: MediaRequest
    let recording: RecordingRequest
    /// The server to which the call is published as a live stream; nil for none.
    let publication: PublishTarget?
    /// The number of simultaneous calls, in consecutive rooms that begin at the plan's room.
    let calls: Int
    /// The port of the metrics endpoint; 0 for any free port, nil for no metrics.
    let metricsPort: Int?
    let presentation: Presentation
    /// The dump folder for a bug report; nil for no dump.
    let dump: String?
    let signaling: SignalingConfiguration
    /// The source of control commands during the call; nil for no commands.
    let control: ControlPlace?

    /// Reads and checks the flags and settings.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(_ flags: CallFlags, _ settings: Settings) throws(Failure) {
        dump = try settings.text(.dump, flags.report.dump)
        var plan = try Self.plan(flags, settings)
        plan.reportsSignals = dump != nil
        self.plan = plan
        signaling = try Self.signaling(flags, settings)
        let server = settings.entry(.server, [flags.room.server].compactMap(\.self))
        namedServer = server?.origin == .byDefault ? nil : signaling.serverURL
        recording = try RecordingRequest(flags.recording, settings)
        media = try MediaRequest(
            flags.media,
            flags.audio,
            flags.network,
            trust: flags.room.trust,
            recordings: recording.destinations,
            settings
        )
        try MediaRequest.check(recording, in: media.scope)
        publication = try Self.publication(flags, in: media.scope, settings)
        calls = try settings.required(.calls, flags.room.calls, SettingText.number(in: 1...Self.maximumCalls))
        metricsPort = try settings.value(
            .metricsPort,
            flags.report.metricsPort,
            SettingText.number(in: 0...65535)
        )
        control = try settings.value(.control, flags.control.control, ControlPlace.init)
        presentation =
            calls > 1
            ? .headless
            : try Presentation(
                window: flags.presentation.window,
                headless: flags.presentation.headless,
                settings
            )
        try checkCalls(flags, settings)
    }

    private static func plan(_ flags: CallFlags, _ settings: Settings) throws(Failure) -> CallPlan {
        let (course, room) = (flags.course, flags.room)
        let named = try settings.value(.name, room.name, username)
        guard let username = named ?? loginName(settings) else {
            throw .usage(
                "--name is missing, and the login name is not a valid username",
                hint: "give --name NAME"
            )
        }
        guard let number = try settings.value(.room, room.room, SettingText.room) else {
            throw .usage(
                "--room is missing",
                hint: "give --room N, see `callrunner help call`, or try `callrunner demo`"
            )
        }
        let identity = Identity(username: username, room: number)
        var plan = CallPlan(
            identity: identity,
            role: try settings.isOn(.caller, room.caller) ? .caller : .callee
        )
        let duration = SettingText.duration
        plan.options.connectTimeout = try settings.required(.connectTimeout, course.connectTimeout, duration)
        plan.options.ringTimeout = try settings.required(.ringTimeout, course.ringTimeout, duration)
        plan.options.peerTimeout = try settings.value(.peerTimeout, course.peerTimeout, duration)
        plan.options.duration = try settings.value(.duration, course.duration, duration)
        plan.options.retries = try settings.value(
            .retries,
            course.retries,
            SettingText.number(in: -1 ... .max)
        )
        plan.stays = try settings.isOn(.stay, course.stay)
        plan.calls = try settings.required(.repeats, course.repeats, SettingText.number(in: 1 ... .max))
        plan.pause = try settings.required(.pause, course.pause, duration)
        return plan
    }

    private static func signaling(
        _ flags: CallFlags,
        _ settings: Settings
    ) throws(Failure) -> SignalingConfiguration {
        let room = flags.room
        let url = try settings.required(.server, room.server, SettingText.serverURL)
        var configuration = SignalingConfiguration(serverURL: url)
        configuration.token = try settings.text(.token, room.token)
        configuration.caCertificate = try settings.value(.cacert, room.trust.cacert, SettingText.readableFile)
        configuration.insecure = try settings.isOn(.insecure, room.trust.insecure)
        configuration.serverTimeout = try settings.required(
            .serverTimeout,
            flags.course.serverTimeout,
            SettingText.duration
        )
        return configuration
    }

    /// Reads the server to which the call is published.
    ///
    /// - Throws: `Failure` with exit code 64, also if the call has nothing to publish.
    private static func publication(
        _ flags: CallFlags,
        in scope: MediaScope,
        _ settings: Settings
    ) throws(Failure) -> PublishTarget? {
        guard let text = try settings.text(.publish, flags.recording.publish) else { return nil }
        guard scope.receives || scope.kinds.contains(.audio) else {
            throw .usage(
                "--publish publishes the peer's video and both voices, and this call has neither",
                hint: "remove --sendonly or --media video"
            )
        }
        return try PublishTarget(
            text,
            flag: "--publish",
            trusting: flags.room.trust.authorities(settings),
            settings.environment
        )
    }

    private static func username(_ text: String) throws -> Username { try Username(text) }

    /// Finds a login name that is a valid username; nil if there is none.
    private static func loginName(_ settings: Settings) -> Username? {
        let names = [settings.environment["USER"], settings.environment["LOGNAME"], accountName]
        return names.lazy.compactMap { name in name.flatMap { try? Username($0) } }.first
    }

    private static var accountName: String? {
        getpwuid(getuid()).flatMap { account in
            account.pointee.pw_name.map { String(cString: $0) }
        }
    }

    /// Creates the media configuration of call `number`, counted from 1, and reserves the files of its
    /// recordings.
    ///
    /// - Throws: `MediaFailure.recording`.
    func configuration(_ installation: Installation, call number: Int = 1) throws -> MediaConfiguration {
        let identity = plan(call: number).identity
        let names: [NameTemplate.Placeholder: String] = [
            .room: "\(identity.room)", .name: identity.username.value, .call: "\(number)",
        ]
        var configuration = media.configuration(installation, names)
        let time = NameTemplate.stamp(of: .now)
        try recording.reserve(in: &configuration, names.merging([.time: time]) { $1 })
        return configuration
    }

    func signaling(url: String) -> SignalingConfiguration {
        var configuration = signaling
        configuration.serverURL = url
        return configuration
    }
}

// MARK: - Calls

// The options of several simultaneous calls.

extension CallRequest {
    /// The maximum number of simultaneous calls; each of them uses about a dozen file descriptors and
    /// threads.
    private static let maximumCalls = 1000

    /// Creates the plan of call `number`, counted from 1; it differs from the plan of the first call only in
    /// the room.
    func plan(call number: Int) -> CallPlan {
        var plan = plan
        let room = plan.identity.room
        // `checkCalls` has verified that the last room exists.
        let own = (try? RoomID(room.value + number - 1)) ?? room
        plan.identity = Identity(username: plan.identity.username, room: own)
        return plan
    }

    /// Checks that the flags and settings allow several calls.
    ///
    /// - Throws: `Failure` with exit code 64.
    private func checkCalls(_ flags: CallFlags, _ settings: Settings) throws(Failure) {
        guard calls > 1 else { return }
        try recording.checkNames(ofCalls: calls)
        guard publication == nil else {
            throw .usage(
                "--publish publishes one call, and --calls asks for \(calls)",
                hint: "leave --publish out"
            )
        }
        let first = plan.identity.room.value
        guard (try? RoomID(first + calls - 1)) != nil else {
            throw .usage(
                "there are fewer than \(calls) room numbers from \(first) on",
                hint: "choose a lower number with --room"
            )
        }
        guard
            try settings.choice(.window, flags.presentation.window, .headless, flags.presentation.headless)
                != .window
        else {
            throw .usage("--window shows one call, and --calls asks for \(calls)", hint: "leave --window out")
        }
        guard flags.audio.speaker == nil || media.audio.speaker == .none else {
            throw .usage(
                "--speaker plays one call, and --calls asks for \(calls)",
                hint: "leave --speaker out"
            )
        }
        guard control == nil else {
            throw .usage(
                "--control controls one call, and --calls asks for \(calls)",
                hint: "leave --control out"
            )
        }
        guard dump == nil else {
            throw .usage("--dump covers one call, and --calls asks for \(calls)", hint: "leave --dump out")
        }
    }
}
