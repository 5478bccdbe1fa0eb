import Testing

@testable import SignalingServer

@Suite("Recent entries")
struct RecentEntriesTests {
    @Test("At capacity the oldest entry is dropped, and an entry that is set again becomes the newest")
    func order() {
        var values = RecentEntries<String, Int>(2)
        values["a"] = 1
        values["b"] = 2
        values["a"] = 3
        values["c"] = 4
        #expect([values["a"], values["b"], values["c"]] == [3, nil, 4])
        #expect(values.count == 2)
    }

    @Test("Removing an entry frees its space, and an entry set after its removal is the newest")
    func takenOut() {
        var values = RecentEntries<Int, Int>(4)
        for number in 0..<100 {
            values[number] = number
            values[number] = nil
        }
        #expect(values.count == 0)
        values[1] = 1
        values[2] = 2
        values[1] = nil
        values[1] = 3
        for number in 3...4 { values[number] = number }
        #expect((1...4).map { values[$0] } == [3, 2, 3, 4])
        values[5] = 5
        #expect((1...5).map { values[$0] } == [3, nil, 3, 4, 5])
    }
}
