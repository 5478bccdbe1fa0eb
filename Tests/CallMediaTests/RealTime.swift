import Testing

/// The tests of calls and their sessions in real time; they run serially, so that two CPU cores can keep up.
@Suite("Calls in real time", .serialized, .timeLimit(.minutes(5)))
enum RealTime {}

/// The tests of sources and recordings in real time, which run serially beside those of calls.
@Suite("Sources and recordings in real time", .serialized, .timeLimit(.minutes(5)))
enum RealTimeFiles {}
