import CGLib
import CSoup
import GLibKit
import Testing

/// The handler of a `ScriptedServer`'s polling requests and refused WebSockets.
@LoopActor
final class ScriptedPolling {
    /// The response that refuses a WebSocket; nil if WebSockets are accepted.
    private var refusal: (status: UInt32, type: String)?
    /// Whether GETs are answered at once with a noop, as a server does during an upgrade.
    private var isGivingWay = false
    /// Whether POSTs are answered at once.
    private var takesPosts = false
    /// The number of refused WebSockets.
    private(set) var refusals = 0
    /// The maximum number of GETs pending at the same time; `maximumPosts` is the same for POSTs.
    private(set) var maximumGets = 0
    private(set) var maximumPosts = 0

    private let gets: AsyncStream<ScriptedRequest>, newGets: AsyncStream<ScriptedRequest>.Continuation
    private let posts: AsyncStream<ScriptedRequest>, newPosts: AsyncStream<ScriptedRequest>.Continuation
    private var waitingGets = 0
    private var waitingPosts = 0

    init() {
        (gets, newGets) = AsyncStream.makeStream()
        (posts, newPosts) = AsyncStream.makeStream()
    }

    /// Refuses all later WebSockets with this HTTP status and content type.
    func refuseWebSockets(status: UInt32, type: String = "text/html") { refusal = (status, type) }

    func giveWay(_ isGivingWay: Bool) { self.isGivingWay = isGivingWay }

    /// Answers later POSTs at once.
    ///
    /// Otherwise a client with a scripted clock would wait forever for the response to its DISCONNECT.
    func acceptClosing() { takesPosts = true }

    func acceptWebSockets() { refusal = nil }

    func nextGet() async throws -> ScriptedRequest { try #require(await gets.next()) }

    func nextPost() async throws -> ScriptedRequest { try #require(await posts.next()) }

    fileprivate func handle(_ message: ObjectRef) {
        let headers = soup_server_message_get_request_headers(message.opaque)
        guard soup_message_headers_get_one(headers, "Upgrade") == nil else {
            guard let refusal else { return }
            refusals += 1
            soup_server_message_set_status(message.opaque, refusal.status, nil)
            soup_server_message_set_response(message.opaque, refusal.type, SOUP_MEMORY_COPY, "no", 2)
            return
        }
        if soup_server_message_get_method(message.opaque).map({ String(cString: $0) }) == "GET" {
            waitingGets += 1
            maximumGets = max(maximumGets, waitingGets)
            let get = ScriptedRequest(message) { self.waitingGets -= 1 }
            if isGivingWay { get.answer("6") } else { newGets.yield(get) }
        } else {
            waitingPosts += 1
            maximumPosts = max(maximumPosts, waitingPosts)
            let post = ScriptedRequest(message) { self.waitingPosts -= 1 }
            if takesPosts { post.answer("ok") } else { newPosts.yield(post) }
        }
    }

    /// Handles all requests to `/socket.io/` on this server, except accepted WebSockets.
    func attach(to server: ObjectRef) {
        soup_server_add_handler(
            server.cast(to: SoupServer.self),
            "/socket.io/",
            { _, message, _, _, data in
                // libsoup passes its own message and the pointer given below.
                let message = ObjectRef(retaining: UnsafeMutableRawPointer(message!))
                let polling = Unmanaged<ScriptedPolling>.fromOpaque(data!).takeUnretainedValue()
                LoopActor.assumeIsolated { polling.handle(message) }
            },
            Unmanaged.passRetained(self).toOpaque(),
            { Unmanaged<ScriptedPolling>.fromOpaque($0!).release() }  // the pointer retained above
        )
    }
}

extension ScriptedPolling {
    /// Answers the requests for the Engine.IO handshake and the Socket.IO CONNECT, and returns the next GET.
    func welcome(sid: String = "s1", upgrades: String = "", maxPayload: Int = 1_000_000) async throws
        -> ScriptedRequest
    {
        let opening = try await nextGet()
        #expect(!opening.query.contains("sid="))
        opening.answer(handshake(upgrades: upgrades, maxPayload: maxPayload))
        let get = try await nextGet()
        #expect(get.query.hasPrefix("EIO=4&transport=polling&sid=engine"))
        let post = try await nextPost()
        #expect(post.body == "40")
        #expect(post.query == get.query)
        post.answer("ok", type: "text/html")
        get.answer("40{\"sid\":\"\(sid)\"}")
        return try await nextGet()
    }

    /// Waits for the next POST, answers it, and returns its body.
    func takePost() async throws -> String {
        let post = try await nextPost()
        post.answer("ok", type: "text/html")
        return post.body
    }
}
