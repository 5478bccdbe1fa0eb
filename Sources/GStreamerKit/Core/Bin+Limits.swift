extension Pipeline {
    /// Limits the data that reaches elements which are added to this pipeline, or to a bin in it, because GStreamer
    /// 1.22 crashes or allocates unlimited memory for some data.
    ///
    /// The elements in the pipeline's own text are not limited, because they only process the output of added elements.
    func limitAddedElements() {
        let weak = WeakPipeline(self)
        onElementAdded { element in
            if Element.isDepayloader(element.factoryName), element.has("auto-header-extension") {
                // After an extension that it cannot read, a depayloader waits for itself for ever.
                element.set("auto-header-extension", false)
                // A packet that it drops as old would only have passed the filter before it.
                element.set("max-reorder", 0)
            }
            switch element.factoryName {
            case "rtph264depay": element.pad("sink")?.dropEmptyFragments()
            case "h264parse":
                element.pad("sink")?.refusePulling()
                element.pad("sink")?.limitUnits {
                    weak.fail("the parameters of its H.264 are damaged, or too many")
                }
            default: if element.isVideoDecoder { element.forgetUndecodedFrames() }
            }
        }
    }
}

extension Element {
    /// Returns whether the elements of a factory are depayloaders of RTP.
    package static func isDepayloader(_ factory: String) -> Bool {
        factory.hasPrefix("rtp") && factory.hasSuffix("depay")
    }
}
