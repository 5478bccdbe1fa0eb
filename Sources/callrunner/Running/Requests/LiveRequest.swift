internal import LiveCore
internal import MediaKit

/// The settings of a run of `callrunner live`.
struct LiveRequest {
    var address: LiveAddress
    var options = LiveOptions()
    var presentation = Presentation.headless
    var speaker = AudioSettings.Choice.automatic
    /// The file to record the stream to; nil for none.
    var recording: RecordingFile?
    /// The time of playing after which the command ends; nil for no limit.
    var duration: Duration?
    /// The time within which the first frame must be shown.
    var timeout: Duration
    /// The folder of the pipeline templates, if the user gave one.
    var pipelines: String?
}
