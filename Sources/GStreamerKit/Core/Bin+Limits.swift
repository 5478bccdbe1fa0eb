extension Pipeline {
    /// Limits the data that reaches elements which are added to this pipeline, or to a bin in it, because GStreamer
    /// 1.22 crashes or allocates unlimited memory for some data.
    ///
    /// Elements of the pipeline's own gst-launch text are not limited, because they only process the output of added
    /// elements.
    func limitAddedElements() {
        let weak = WeakPipeline(self)
        onElementAdded { element in
            if Element.isDepayloader(element.factoryName), element.has("auto-header-extension") {
                // A depayloader deadlocks at a header extension that it cannot read.
                element.set("auto-header-extension", false)
                // Otherwise it would drop old packets that the filter in front of it has already counted.
                element.set("max-reorder", 0)
            }
            switch element.factoryName {
            case "rtph264depay": element.pad("sink")?.dropEmptyFragments()
            case "h264parse":
                element.pad("sink")?.refusePulling()
                element.pad("sink")?.limitUnits {
                    weak.fail("its H.264 parameter sets are damaged or too many")
                }
            default: if element.isVideoDecoder { element.forgetUndecodedFrames() }
            }
        }
    }
}

extension Element {
    /// Returns whether a factory creates RTP depayloaders.
    package static func isDepayloader(_ factory: String) -> Bool {
        factory.hasPrefix("rtp") && factory.hasSuffix("depay")
    }
}
