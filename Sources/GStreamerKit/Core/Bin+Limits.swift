extension Pipeline {
    /// Limits what reaches the elements that will be added to this pipeline, or to a bin in it: GStreamer 1.22 crashes at
    /// some data, or takes any memory for it.
    ///
    /// The elements of a pipeline's own text get what those have let pass.
    func limitAddedElements() {
        let weak = WeakPipeline(self)
        onElementAdded { element in
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
