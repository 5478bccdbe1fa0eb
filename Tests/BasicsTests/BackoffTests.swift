import Basics
import Testing

@Suite("Backoff")
struct BackoffTests {
    private func waits(random: Double) -> [Duration] {
        var backoff = Backoff()
        return (0..<6).map { _ in backoff.next(random: random) }
    }

    @Test("The waits between attempts double up to five seconds")
    func doubling() {
        #expect(waits(random: 0) == [1, 2, 4, 5, 5, 5].map { .seconds($0) })
    }

    @Test("An even first decimal of the random number shortens the wait, and an odd one lengthens it")
    func randomization() {
        #expect(waits(random: 0.8).first == .milliseconds(600))
        #expect(waits(random: 0.5).first == .milliseconds(1250))
    }

    @Test("The random number changes a wait by at most half", arguments: 0..<100)
    func bounds(_ hundredths: Int) {
        let waits = waits(random: Double(hundredths) / 100)
        #expect((Duration.milliseconds(500)...Duration.milliseconds(1500)).contains(waits[0]))
        #expect((Duration.milliseconds(2000)...Duration.milliseconds(5000)).contains(waits[2]))
        #expect((Duration.milliseconds(4000)...Duration.milliseconds(5000)).contains(waits[3]))
    }

    @Test("A reset restores the initial wait")
    func reset() {
        var backoff = Backoff()
        for _ in 0..<100 { _ = backoff.next(random: 0) }
        backoff.reset()
        #expect(backoff.next(random: 0) == .seconds(1))
    }
}
