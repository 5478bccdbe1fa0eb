import Testing

/// The tests that play, encode or record in real time; they run serially, because two cores could not keep
/// up.
@Suite("Media in real time", .serialized)
enum RealTime {}
