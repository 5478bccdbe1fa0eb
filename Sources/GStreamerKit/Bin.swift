internal import CGStreamer
internal import GLibKit

/// Elements that act as one.
package class Bin: Element, @unchecked Sendable {  // GstElement locks itself
    var bin: UnsafeMutablePointer<GstBin> { object.cast(to: GstBin.self) }

    /// A bin from a description in gst-launch's syntax, with its unlinked pads as ghost pads.
    ///
    /// - Throws: `GStreamerError.description`.
    package static func parsing(_ description: String) throws(GStreamerError) -> Bin {
        GStreamer.start()
        do {
            let bin = try withGError {
                gst_parse_bin_from_description_full(description, 1, nil, GST_PARSE_FLAG_FATAL_ERRORS, $0)
            }
            guard let bin else { throw GStreamerError.description(description) }
            return Bin(ObjectRef(sinking: bin))
        } catch let error as GLibError { throw .description(error.message) } catch {
            throw .description("\(error)")
        }
    }

    package func element(named name: String) -> Element? {
        gst_bin_get_by_name(bin, name).map { Element(ObjectRef(taking: $0)) }
    }

    /// Puts `element` into the bin, which takes a reference of its own.
    package func add(_ element: Element) { gst_bin_add(bin, element.pointer) }
}
