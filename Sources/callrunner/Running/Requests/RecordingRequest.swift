internal import CallCore
internal import CallMedia
internal import MediaKit

/// The options for recordings and snapshots, from flags, environment and configuration file.
struct RecordingRequest: Hashable {
    let remote: Destination?
    let local: Destination?
    let both: Destination?
    let segment: Duration?
    let snapshot: NameTemplate?
    let snapshotInterval: Duration?
    let overwrites: Bool
    private let snapshotFormat: SnapshotFile.Format

    /// The destinations of the recordings; their containers limit the codecs that a call offers and accepts.
    var destinations: [Destination] { [remote, local, both].compactMap(\.self) }

    /// Reads and checks the flags and settings.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(_ flags: RecordingFlags, _ settings: Settings) throws(Failure) {
        remote = try settings.value(.record, flags.record, Destination.init)
        local = try settings.value(.recordLocal, flags.recordLocal, Destination.init)
        both = try settings.value(.recordBoth, flags.recordBoth, Destination.both)
        segment = try settings.value(.segment, flags.segment, Self.segmentLength)
        snapshot = try settings.value(.snapshot, flags.snapshot, Self.snapshotName)
        snapshotFormat = snapshot.flatMap { SnapshotFile.Format(path: $0.path) } ?? .jpg
        snapshotInterval = try settings.value(.snapshotEvery, flags.snapshotEvery, SettingText.duration)
        overwrites = try settings.isOn(.overwrite, flags.overwrite)
        try check(.snapshotEvery, needs: .snapshot, snapshotInterval == nil || snapshot != nil)
        let names = destinations.map(\.template)
        try check(.segment, needs: .record, segment == nil || !names.isEmpty)
        guard Set(names).count == names.count else {
            throw .usage(
                "two of --record, --record-local and --record-both name the same file",
                hint: "give them different names"
            )
        }
    }

    private func check(_ one: Setting, needs other: Setting, _ isMet: Bool) throws(Failure) {
        guard !isMet else { return }
        throw .usage("\(one.flag) has no effect without \(other.flag)", hint: "give \(other.flag) too")
    }

    private static func segmentLength(_ text: String) throws -> Duration {
        let length = try SettingText.duration(text)
        guard length >= .seconds(1) else {
            throw SettingText.Problem("a segment must last at least one second")
        }
        return length
    }

    private static func snapshotName(_ text: String) throws -> NameTemplate {
        guard SnapshotFile.Format(path: text) != nil else {
            throw SettingText.Problem(
                "the name of a snapshot must end in .jpg or .png, and “\(text)” does not"
            )
        }
        let template = try NameTemplate(text)
        guard !template.placeholders.contains(.segment) else {
            throw SettingText.Problem("the name of a snapshot cannot contain {segment}")
        }
        return template
    }

    /// Checks that each of several calls writes to its own files.
    ///
    /// - Throws: `Failure` with exit code 64.
    func checkNames(ofCalls calls: Int) throws(Failure) {
        guard calls > 1 else { return }
        let shared = (destinations.map(\.template) + [snapshot].compactMap(\.self)).first {
            $0.placeholders.isDisjoint(with: [.room, .call])
        }
        guard let shared else { return }
        throw .usage(
            "\(calls) calls cannot all be saved to \(shared.path)",
            hint: "put {room} or {call} into its name"
        )
    }

    /// Reserves the files of one call.
    ///
    /// - Throws: `MediaFailure.recording`; in this case, no file is reserved.
    func reserve(
        in configuration: inout MediaConfiguration,
        _ values: [NameTemplate.Placeholder: String]
    ) throws {
        var taken = configuration
        do {
            taken.recording = try place(remote, values)
            taken.localRecording = try place(local, values)
            taken.bothRecording = try place(both, values)
            if let snapshot {
                var known = values
                known[.time] = nil  // each snapshot has its own time
                taken.snapshot = try SnapshotFile(
                    named: snapshot.filled(known),
                    format: snapshotFormat,
                    interval: snapshotInterval,
                    overwrite: overwrites
                )
            }
        } catch {
            taken.discardUnusedRecordings()
            throw error
        }
        configuration = taken
    }

    private func place(
        _ destination: Destination?,
        _ values: [NameTemplate.Placeholder: String]
    ) throws -> RecordingFile? {
        try destination?.reserve(overwrites: overwrites, segment: segment, values)
    }
}
