import Testing

@testable import GStreamerKit

struct LibraryWarningsTests {
    private static let race = "g_hash_table_foreach: assertion 'version == hash_table->version' failed"

    @Test(arguments: [
        (race, "rtpsession-rtcp", true), (race, "webrtcbin2:pc", true), (race, "callrunner", false),
        ("g_hash_table_foreach: assertion 'hash_table != NULL' failed", "rtpsession-rtcp", false),
        ("Agent 0x1 : We still have alive TURN refreshes. Consider a longer timeout", "loop", true),
        ("", "", false),
    ])
    func suppressesLibraryWarningsOnly(text: String, thread: String, isKnown: Bool) {
        #expect(LibraryWarnings.contains(text, of: thread) == isKnown)
    }
}
