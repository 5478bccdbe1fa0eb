import CGLib
import GLibKit
import Testing

@Suite("Asynchronous GIO calls", .timeLimit(.minutes(4)))
@LoopActor struct GIOTests {
    private nonisolated static func file(_ path: String) -> ObjectRef {
        ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
    }

    private static func size(of file: ObjectRef) async throws -> Int {
        let info = try await gio { cancellable, callback, data in
            g_file_query_info_async(
                file.opaque,
                "standard::*",
                G_FILE_QUERY_INFO_NONE,
                0,
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            g_file_query_info_finish(file.opaque, result, error).map {
                ObjectRef(taking: UnsafeMutableRawPointer($0))
            }
        }
        return info.map { g_file_info_get_size($0.opaque) } ?? -1
    }

    /// Opens a listening socket on a free loopback port, to which nobody connects.
    private static func listener() throws -> ObjectRef {
        let listener = ObjectRef(taking: UnsafeMutableRawPointer(g_socket_listener_new()))
        _ = try withGError {
            g_socket_listener_add_any_inet_port(listener.cast(to: GSocketListener.self), nil, $0)
        }
        return listener
    }

    private static func accept(on listener: ObjectRef) async throws -> ObjectRef? {
        try await gio { cancellable, callback, data in
            g_socket_listener_accept_async(
                listener.cast(to: GSocketListener.self),
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            g_socket_listener_accept_finish(listener.cast(to: GSocketListener.self), result, nil, error)
                .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
        }
    }

    @Test("A call returns the result of its finish function")
    func reply() async throws {
        #expect(try await Self.size(of: Self.file("/proc/self/exe")) > 0)
    }

    @Test("A failure is thrown with its domain and code")
    func failure() async throws {
        let error = await #expect(throws: GLibError.self) {
            try await Self.size(of: Self.file("/nowhere/at/all"))
        }
        #expect(error?.domain == "g-io-error-quark")
        #expect(error?.code == Int(G_IO_ERROR_NOT_FOUND.rawValue))
        #expect(error?.message.contains("/nowhere/at/all") == true)
    }

    @Test("A refused connection throws an error")
    func refused() async throws {
        let client = ObjectRef(taking: UnsafeMutableRawPointer(g_socket_client_new()))
        let error = await #expect(throws: GLibError.self) {
            try await gio { cancellable, callback, data in
                g_socket_client_connect_to_host_async(
                    client.cast(to: GSocketClient.self),
                    "127.0.0.1",
                    1,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_socket_client_connect_to_host_finish(client.cast(to: GSocketClient.self), result, error)
                    .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
            }
        }
        #expect(error?.code == Int(G_IO_ERROR_CONNECTION_REFUSED.rawValue))
    }

    private static func expectCancelledAccept(_ starting: AsyncStream<Void>.Continuation?) async throws {
        let listener = try listener()
        starting?.yield()
        await #expect(throws: CancellationError.self) { try await accept(on: listener) }
    }

    @Test("Cancelling the task ends a call that does not complete")
    nonisolated func cancellation() async throws {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.expectCancelledAccept(starting) }
            await started.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test("A call started by a cancelled task is cancelled immediately")
    nonisolated func cancelledBefore() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { try await Self.expectCancelledAccept(nil) }
            try await group.waitForAll()
        }
    }

    @Test("A thousand calls leave no reference to their object")
    func noLeak() async throws {
        let file = Self.file("/proc/self/exe")
        for _ in 0..<1000 { _ = try await Self.size(of: file) }
        // GIO's worker threads may hold the last calls a moment longer.
        #expect(file.pointer.pointee.ref_count < 10)
    }
}
