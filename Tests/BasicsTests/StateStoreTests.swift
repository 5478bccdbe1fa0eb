import Basics
import Testing

@Suite("State store that is observed by asynchronous streams")
struct StateStoreTests {
    @Test("An observer receives the current state first", .timeLimit(.minutes(4)))
    func current() async {
        let store = StateStore(7)
        var states = store.states.makeAsyncIterator()
        #expect(await states.next() == 7)
    }

    @Test("A slow observer receives only the newest state", .timeLimit(.minutes(4)))
    func newest() async {
        let store = StateStore(0)
        var states = store.states.makeAsyncIterator()
        for number in 1...1000 { store.update { $0 = number } }
        #expect(await states.next() == 1000)
    }

    @Test("Each observer has its own stream, and finishing the store ends all", .timeLimit(.minutes(4)))
    func several() async {
        let store = StateStore("a")
        let (one, other) = (store.states, store.states)
        store.update { $0 = "b" }
        store.finish()
        var seen: [String] = []
        for await state in one { seen.append(state) }
        for await state in other { seen.append(state) }
        for await state in store.states { seen.append(state) }
        #expect(seen == ["b", "b", "b"])
    }

    @Test("An update that does not change the state is not delivered", .timeLimit(.minutes(4)))
    func unchanged() async {
        let store = StateStore(1)
        let states = store.states
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        store.update { $0 = 1 }
        store.finish()
        #expect(await iterator.next() == nil)
    }
}
