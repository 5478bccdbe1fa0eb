internal import ArgumentParser
internal import MediaKit

/// The flags of `callrunner call` as given; `CallRequest` interprets them.
struct CallFlags: ParsableArguments {
    @OptionGroup(title: "Room") var room: RoomFlags
    @OptionGroup(title: "Media") var media: MediaFlags
    @OptionGroup(title: "Media") var presentation: PresentationFlags
    @OptionGroup(title: "Audio") var audio: AudioFlags
    @OptionGroup(title: "Recordings") var recording: RecordingFlags
    @OptionGroup(title: "Network") var network: NetworkFlags
    @OptionGroup(title: "Time and repetition") var course: CourseFlags
    @OptionGroup(title: "Control of a running call") var control: ControlFlags
    @OptionGroup(title: "Metrics and bug reports") var report: ReportFlags
}
