import Testing

/// The tests that handle media in real time; they run serially, so that two CPU cores can keep up.
@Suite("Media in real time", .serialized, .timeLimit(.minutes(5)))
enum RealTime {}
