import CGLib
import GLibKit
import Testing

@Suite("GObject signals", .timeLimit(.minutes(4)))
struct SignalTests {
    private static func action() -> ObjectRef {
        ObjectRef(taking: UnsafeMutableRawPointer(g_simple_action_new("test", nil)))
    }

    private static func handlers(of action: ObjectRef) -> Bool {
        let signal = g_signal_lookup("activate", g_simple_action_get_type())
        return g_signal_has_handler_pending(action.pointer, signal, 0, 1) != 0
    }

    @Test("Emissions arrive in order with their arguments")
    func emissions() async {
        let list = ObjectRef(taking: UnsafeMutableRawPointer(g_list_store_new(g_object_get_type())))
        let changes = list.emissions(of: "items-changed") { [$0.uint(1), $0.uint(2), $0.uint(3)] }
        for _ in 0..<3 { g_list_store_append(list.opaque, list.pointer) }
        g_list_store_remove_all(list.opaque)
        var heard: [[UInt32]] = []
        for await change in changes {
            heard.append(change)
            if heard.count == 4 { break }
        }
        #expect(heard == [[0, 0, 1], [1, 0, 1], [2, 0, 1], [0, 3, 0]])
    }

    @Test("A property notification is streamed like any other signal")
    func notification() async {
        let action = Self.action()
        let changes = action.emissions(of: "notify::enabled") { $0.object(0)?.pointer == nil }
        g_simple_action_set_enabled(action.opaque, 0)
        #expect(await changes.next() == false)
    }

    @Test("A stream that is deallocated disconnects its handler")
    func droppedStream() {
        let action = Self.action()
        do {
            let stream = action.emissions(of: "activate") { _ in }
            withExtendedLifetime(stream) { #expect(Self.handlers(of: action)) }
        }
        #expect(!Self.handlers(of: action))
    }

    @Test("A cancelled reader disconnects its handler")
    func cancelledReader() async {
        let action = Self.action()
        let stream = action.emissions(of: "activate") { _ in }
        await withTaskGroup { group in
            group.addTask { for await _ in stream {} }
            group.cancelAll()
        }
        #expect(!Self.handlers(of: action))
    }

    @Test("The stream finishes when the object is finalized")
    func finalizedObject() async {
        var action: ObjectRef? = Self.action()
        guard let stream = action?.emissions(of: "activate", { _ in }) else { return }
        action = nil
        for await _ in stream {}
    }

    @Test("A handler does not keep its object alive")
    func noCycle() {
        let action = Self.action()
        let stream = action.emissions(of: "activate") { _ in }
        withExtendedLifetime(stream) { #expect(action.pointer.pointee.ref_count == 1) }
    }

    @Test("Connecting and disconnecting a thousand times leaves no handler behind")
    func thousandConnections() {
        let action = Self.action()
        var token: Token? = Token()
        weak let released = token
        for _ in 0..<1000 {
            let connection = action.connect("activate") { [token] _ in withExtendedLifetime(token) {} }
            connection.disconnect()
        }
        #expect(!Self.handlers(of: action))
        #expect(released != nil)
        token = nil
        #expect(released == nil)
    }

    @Test("A thousand objects with live streams are all finalized")
    func thousandStreams() async {
        var objects: [ObjectRef] = (0..<1000).map { _ in Self.action() }
        let weak = objects.map(WeakObjectRef.init)
        let streams = objects.map { $0.emissions(of: "activate") { _ in } }
        objects = []
        #expect(weak.allSatisfy { $0.object == nil })
        for stream in streams { for await _ in stream {} }
    }

    @Test("Disconnecting twice, or after the object is finalized, does nothing")
    func disconnectTwice() {
        var action: ObjectRef? = Self.action()
        let connection = action?.connect("activate") { _ in }
        connection?.disconnect()
        connection?.disconnect()
        action = nil
        connection?.disconnect()
    }

    @Test("A handler runs during the emission and can return a value", arguments: [true, false])
    func answer(_ handled: Bool) {
        let service = ObjectRef(taking: UnsafeMutableRawPointer(g_socket_service_new()))
        service.connect("incoming") { $0.returnBool(handled) }
        var answer = Value(!handled)
        Self.emitIncoming(on: service, returning: &answer)
        #expect((g_value_get_boolean(&answer.raw) != 0) == handled)
    }

    private static func emitIncoming(on service: ObjectRef, returning answer: inout Value) {
        var parameters = [GValue](repeating: GValue(), count: 3)
        g_value_init(&parameters[0], callrunner_type_of(service.pointer))
        g_value_set_object(&parameters[0], service.pointer)
        g_value_init(&parameters[1], g_socket_connection_get_type())
        g_value_init(&parameters[2], g_object_get_type())
        g_signal_emitv(
            parameters,
            g_signal_lookup("incoming", callrunner_type_of(service.pointer)),
            0,
            &answer.raw
        )
        for index in parameters.indices { g_value_unset(&parameters[index]) }
    }
}

private final class Token: Sendable {}
