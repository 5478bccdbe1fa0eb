internal import AppFlow
internal import CallCore
internal import CallMedia
internal import FoundationEssentials
internal import Glibc
internal import LiveMedia
internal import MediaKit

/// The plan of a demo: a caller and a callee in one call, each with its own recording.
struct DemoPlan {
    let duration: Duration
    private let caller: MediaConfiguration
    private let callee: MediaConfiguration

    /// Creates the folder for the recordings and reserves their files in it.
    ///
    /// Without `folder`, a new temporary folder that only the user can read is created.
    /// - Throws: `Failure` or `MediaFailure.recording`.
    init(installation: Installation, source: SourceChoice, duration: Duration, folder: String?) throws {
        self.duration = duration
        let place = try folder.map(Self.folder) ?? Self.temporaryFolder()
        func media(_ role: Role) throws -> MediaConfiguration {
            var media = MediaConfiguration(
                source: source,
                testVideo: installation.testVideo,
                library: installation.library
            )
            media.webMedia = WebMediaLoader()
            media.loader = LoaderCommand.command(installation)
            media.recording = try Destination(
                path: "\(place)/\(role.rawValue).mkv",
                container: .mkv
            ).reserve(overwrites: true, isPrivate: folder == nil)
            return media
        }
        caller = try media(.caller)
        do { callee = try media(.callee) } catch {
            caller.discardUnusedRecordings()
            throw error
        }
    }

    /// Creates the folder that the user named, unless it exists.
    private static func folder(_ path: String) throws(Failure) -> String {
        do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch
        {
            throw noFolder(path)
        }
        return path
    }

    /// Creates a new folder that only the user can read.
    private static func temporaryFolder() throws(Failure) -> String {
        let template = "\(FileManager.default.temporaryDirectory.path)/callrunner-demo-XXXXXX"
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else { throw noFolder(template) }
        return String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func noFolder(_ path: String) -> Failure {
        Failure(
            code: "recording-failed",
            message: "the folder \(path) cannot be created: \(String(cString: strerror(errno)))",
            hint: "choose another folder with --out",
            exit: RunStatus.recordingFailed.rawValue
        )
    }

    func media(_ role: Role) -> MediaConfiguration { role == .caller ? caller : callee }

    /// Creates the call plan of the caller or the callee.
    ///
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
