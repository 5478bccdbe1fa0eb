internal import CallCore
internal import CallFlow
internal import CallMedia
internal import FoundationEssentials

/// What a demo is to do: two sides of one call, each with its recording.
struct DemoPlan {
    let duration: Duration
    private let caller: MediaConfiguration
    private let callee: MediaConfiguration

    /// Makes the folder, a new temporary one where none is named, and takes the recordings' places in it.
    ///
    /// - Throws: `Failure`, `MediaFailure.recording`.
    init(installation: Installation, source: SourceChoice, duration: Duration, folder: String?) throws {
        self.duration = duration
        let place = folder ?? Self.temporaryFolder
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        } catch {
            throw Failure(
                code: "recording-failed",
                message: "the folder \(place) cannot be made",
                hint: "name another one with --out",
                exit: RunStatus.recordingFailed.rawValue
            )
        }
        func media(_ role: Role) throws -> MediaConfiguration {
            var media = MediaConfiguration(
                source: source,
                testVideo: installation.testVideo,
                library: installation.library
            )
            media.recording = try Destination(
                path: "\(place)/\(role.rawValue).mkv",
                container: .mkv
            ).reserve(overwrites: true)
            return media
        }
        caller = try media(.caller)
        do { callee = try media(.callee) } catch {
            caller.discardUnusedRecordings()
            throw error
        }
    }

    private static var temporaryFolder: String {
        "\(FileManager.default.temporaryDirectory.path)/callrunner-demo-\(UUID().uuidString.prefix(8))"
    }

    func media(_ role: Role) -> MediaConfiguration { role == .caller ? caller : callee }

    /// - Throws: `IdentityError`.
    func callPlan(_ role: Role) throws -> CallPlan {
        let name = try Username(role == .caller ? "Ann" : "Bob")
        var plan = CallPlan(identity: Identity(username: name, room: try RoomID(1)), role: role)
        plan.options.peerTimeout = .seconds(20)
        if role == .caller { plan.options.duration = duration }
        return plan
    }

    func discardUnusedRecordings() {
        caller.discardUnusedRecordings()
        callee.discardUnusedRecordings()
    }
}
