internal import GStreamerKit

/// The demuxers that open the addresses which their data names.
package enum NamedAddresses {
    /// The classes of such elements; those of class `Editing` read projects of GStreamer's editing services.
    private static let openers: Set<Substring> = ["Adaptive", "Network", "Source", "Editing"]

    /// Returns whether an element of these classes, such as `Codec/Demuxer/Adaptive`, may open what its data names.
    package static func areOpened(by classification: String) -> Bool {
        let classes = classification.split(separator: "/")
        return classes.contains("Demuxer") && classes.contains(where: openers.contains)
    }

    /// Returns whether content of this type is a list of addresses, which a demuxer would open.
    package static func areListed(in mediaType: String) -> Bool { Playlists.contains(mediaType) }

    /// Lets a pipeline fail at a segment of a playlist that is another list of addresses.
    ///
    /// No demuxer is created for such a segment, because it would load the addresses past the gateway.
    static func keepOutOfSegments(in pipeline: Pipeline) {
        let weak = WeakPipeline(pipeline)
        pipeline.onElementAdded(from: "parsebin") { parser in
            parser.parseOnly { mediaType in
                guard areListed(in: mediaType) else { return true }
                weak.fail("a part of it is a list of other addresses")
                return false
            }
        }
    }
}
