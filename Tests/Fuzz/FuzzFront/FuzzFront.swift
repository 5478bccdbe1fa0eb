internal import FuzzDriver

/// Feeds a signaling server with what comes over a few connections: HTTP, polling, WebSocket, rooms.
@main
enum FuzzFront {
    static func main() { fuzz { input in Front().take(input) } }
}
