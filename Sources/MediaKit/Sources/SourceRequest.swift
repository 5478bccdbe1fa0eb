package import Basics

/// A request to open a source.
package struct SourceRequest: Sendable {
    /// The kind of source, with its path, URL or device.
    package var choice: SourceChoice
    package var settings: SourceSettings
    /// The path of the file for `SourceChoice.test`.
    package var testVideo: String
    /// The kinds of media to read from the source.
    package var kinds: Set<MediaKind>
    /// The camera that is used, if it is available, unless `choice` names another one; nil for any.
    package var preferredCamera: MediaDevice?
    package var library: PipelineLibrary
    /// The service that finds the media of HTTP URLs; nil if they are not supported.
    package var webMedia: (any WebMediaService)?
    /// The command that loads the media of URLs in a separate process; nil to load it in this process.
    package var loader: ProcessCommand?

    package init(
        choice: SourceChoice,
        settings: SourceSettings,
        testVideo: String,
        kinds: Set<MediaKind>,
        preferredCamera: MediaDevice?,
        library: PipelineLibrary,
        webMedia: (any WebMediaService)? = nil,
        loader: ProcessCommand? = nil
    ) {
        (self.choice, self.settings, self.testVideo) = (choice, settings, testVideo)
        (self.kinds, self.preferredCamera, self.library) = (kinds, preferredCamera, library)
        (self.webMedia, self.loader) = (webMedia, loader)
    }
}
