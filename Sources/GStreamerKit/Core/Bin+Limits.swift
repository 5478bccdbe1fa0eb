extension Bin {
    /// Keeps from elements that are added to this bin, or to a bin in it, what GStreamer 1.22 crashes at or takes any
    /// memory for.
    func limitAddedElements() {
        onElementAdded { element in
            switch element.factoryName {
            case "rtph264depay": element.pad("sink")?.dropEmptyFragments()
            case "h264parse":
                element.pad("sink")?.refusePulling()
                element.pad("sink")?.limitUnits()
            default: if element.isVideoDecoder { element.forgetUndecodedFrames() }
            }
        }
    }
}
