internal import CGStreamer
internal import GLibKit

extension Element {
    /// Makes a `parsebin` parse only the media types that satisfy `isWanted`; it outputs all others unparsed.
    package func takeApart(where isWanted: @escaping @Sendable (_ mediaType: String) -> Bool) {
        object.connect("autoplug-continue") { arguments in
            let caps = arguments.boxed(2).map { Caps(retaining: $0.assumingMemoryBound(to: GstCaps.self)) }
            arguments.returnBool(caps.map { isWanted($0.mediaType) } ?? true)
        }
    }
}
