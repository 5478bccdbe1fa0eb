import CallCore
import ChatCore
import Synchronization
import Testing

@testable import AppFlow
@testable import callrunner

@Suite("Ringtone", .timeLimit(.minutes(4)))
struct BellTests {
    private let changes: AsyncStream<Bool>
    private let change: AsyncStream<Bool>.Continuation
    private let screens: AsyncStream<CallsScreen>
    private let screen: AsyncStream<CallsScreen>.Continuation

    init() {
        (changes, change) = AsyncStream.makeStream(of: Bool.self)
        (screens, screen) = AsyncStream.makeStream(of: CallsScreen.self)
    }

    private func room() async throws -> RoomViewModel {
        let identity = Identity(username: try Username("Bob"), room: try RoomID("42"))
        return await RoomViewModel(RoomState(identity: identity, role: .callee), router: CommandRouter())
    }

    private var bell: Bell {
        Bell { [change] in
            change.yield(true)
            for await _ in AsyncStream<Never>.makeStream().stream {}
            change.yield(false)
        }
    }

    @Test("The ringtone plays until the call is answered, and plays again for the next call")
    func ring() async throws {
        let room = try await room()
        async let done: Void = bell.follow(screens)
        screen.yield(.room(room))
        var rings = changes.makeAsyncIterator()
        for _ in 0..<2 {
            await room.rings(RoomState.Ring(peer: "Ann"))
            #expect(await rings.next() == true)
            // A change of the caller does not start the ringtone again.
            await room.rings(RoomState.Ring(peer: "Eve"))
            await room.returned(nil, controls: CallControls())
            #expect(await rings.next() == false)
        }
        screen.finish()
        await done
    }

    @Test("The ringtone plays while a call from a conversation rings")
    func chatRing() async {
        let (calls, call) = AsyncStream.makeStream(of: ChatRing?.self)
        async let done: Void = bell.follow(calls)
        var rings = changes.makeAsyncIterator()
        call.yield(nil)
        call.yield(ChatRing(person: ChatPerson(id: 1, name: "Ann"), room: 7))
        #expect(await rings.next() == true)
        call.yield(nil)
        #expect(await rings.next() == false)
        call.finish()
        await done
    }

    @Test("The ringtone stops when its screen is left and when the app ends")
    func end() async throws {
        let (first, second) = (try await room(), try await room())
        for room in [first, second] { await room.rings(RoomState.Ring(peer: nil)) }
        async let done: Void = bell.follow(screens)
        var rings = changes.makeAsyncIterator()
        for room in [first, second] {
            screen.yield(.room(room))
            #expect(await rings.next() == true)
            if room === first { screen.yield(.room(try await self.room())) }
            if room === first { #expect(await rings.next() == false) }
        }
        screen.finish()
        await done
        #expect(await rings.next() == false)
    }
}
