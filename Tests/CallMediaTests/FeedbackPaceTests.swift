import Testing

@testable import CallMedia

@Suite("Feedback pace")
struct FeedbackPaceTests {
    @Test(
        "After three clean seconds the interval is long, and loss or jitter makes it short at once",
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
