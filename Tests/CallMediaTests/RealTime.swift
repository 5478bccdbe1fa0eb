import Testing

/// Tests that play, encode or record in real time: one after the other, or two cores could not keep up.
@Suite("Media in real time", .serialized)
enum RealTime {}
