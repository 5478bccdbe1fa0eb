/// The fuzz target for a server's connections: HTTP, polling, WebSocket and rooms.
package enum FrontTarget {
    package static func take(_ input: UnsafeRawBufferPointer) { Front().take(input) }
}
