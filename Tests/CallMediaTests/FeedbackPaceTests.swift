import Testing

@testable import CallMedia

@Suite("Interval of RTCP feedback")
struct FeedbackPaceTests {
    @Test(
        "The feedback interval is 250 ms after three seconds without loss and with little jitter, else 100 ms",
        arguments: [(lost: 1, jitter: 0.0), (0, 0.01), (0, .nan)]
    )
    func clean(_ trouble: (lost: Int, jitter: Double)) {
        let (short, long) = (FeedbackPace.short, FeedbackPace.long)
        var pace = FeedbackPace()
        #expect(pace.milliseconds == short)
        #expect((1...4).map { _ in pace.update(lost: 0, jitter: 0.001) } == [nil, nil, long, nil])
        #expect(pace.update(lost: trouble.lost, jitter: trouble.jitter) == short)
        #expect((1...3).map { _ in pace.update(lost: trouble.lost, jitter: 0) } == [nil, nil, long])
    }
}
