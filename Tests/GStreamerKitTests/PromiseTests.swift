import CGStreamer
import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Promises", .timeLimit(.minutes(4)))
struct PromiseTests {
    private struct Refusal: Error, Equatable {}

    @Test("The structure of a reply is decoded")
    func answered() async throws {
        let answer = try await reply { promise in
            var value = Value(UInt32(7))
            let structure = gst_structure_new_empty("answer")
            gst_structure_set_value(structure, "number", &value.raw)
            gst_promise_reply(promise, structure)
        } decode: {
            $0?.number("number")
        }
        #expect(answer == 7)
    }

    @Test("A reply without a structure is valid")
    func empty() async throws {
        let isEmpty = try await reply(to: { gst_promise_reply($0, nil) }, decode: { $0 == nil })
        #expect(isEmpty)
    }

    @Test("An error while decoding a reply is thrown to the caller")
    func refused() async {
        await #expect(throws: Refusal.self) {
            try await reply(to: { gst_promise_reply($0, nil) }, decode: { _ in throw Refusal() })
        }
    }

    @Test("An error in the reply is thrown with its message")
    func rejected() async {
        await #expect(throws: GStreamerError.rejected("not like this")) {
            try await reply { promise in
                let error = g_error_new_literal(g_quark_from_string("test"), 1, "not like this")
                var value = Value(type: g_error_get_type())
                g_value_take_boxed(&value.raw, error)
                let structure = gst_structure_new_empty("application/x-gst-promise")
                gst_structure_set_value(structure, "error", &value.raw)
                gst_promise_reply(promise, structure)
            } decode: { _ in
            }
        }
    }

    @Test("An expired promise throws an error instead of waiting")
    func expired() async {
        await #expect(throws: GStreamerError.self) {
            try await reply(to: { gst_promise_expire($0) }, decode: { _ in })
        }
    }

    @Test("Cancelling interrupts the promise, and a later reply is harmless")
    func cancelled() async {
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        nonisolated(unsafe) var promise: UnsafeMutablePointer<GstPromise>?  // read after the task has ended
        let task = Task {
            try await reply { pending in
                promise = UnsafeMutablePointer(gst_promise_ref(pending))
                started.yield()
            } decode: { _ in
            }
        }
        _ = await starts.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(gst_promise_wait(promise) == GST_PROMISE_RESULT_INTERRUPTED)
        gst_promise_reply(promise, gst_structure_new_empty("late"))
        gst_promise_unref(promise)
    }

    @Test("Waiting for a promise in a cancelled task throws a cancellation error")
    func cancelledBefore() async {
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await reply(to: { gst_promise_reply($0, nil) }, decode: { _ in })
                }
            }
        }
    }
}
