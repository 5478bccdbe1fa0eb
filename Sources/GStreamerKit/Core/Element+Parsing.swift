internal import CGStreamer
internal import GLibKit

extension Element {
    /// Has a `parsebin` take apart only what `isWanted` of its media type; anything else comes out of it as it is.
    package func takeApart(where isWanted: @escaping @Sendable (_ mediaType: String) -> Bool) {
        object.connect("autoplug-continue") { arguments in
            let caps = arguments.boxed(2).map { Caps(retaining: $0.assumingMemoryBound(to: GstCaps.self)) }
            arguments.returnBool(caps.map { isWanted($0.mediaType) } ?? true)
        }
    }
}
