/// Feeds a signaling server with what comes over a few connections: HTTP, polling, WebSocket, rooms.
package enum FrontTarget {
    package static func take(_ input: UnsafeRawBufferPointer) { Front().take(input) }
}
