import Basics
import Testing

@testable import AppFlow

@Suite("Server addresses in the settings")
struct SettingsTests {
    @Test(
        "Server addresses that other computers cannot reach are recognized",
        arguments: [
            (nil, true), ("http://127.0.0.1:3000", true), ("http://LOCALHOST", true),
            ("https://[::1]:3000/", true), ("http://192.168.1.7:3000", false),
            ("https://localhost.example.org", false), ("https://[2001:db8::1]:3000", false),
            ("nonsense", false),
        ] as [(String?, Bool)]
    )
    func local(server: String?, isLocal: Bool) {
        var settings = AppSettings()
        settings.server = server
        #expect(settings.isLocal == isLocal)
    }

    @Test("An invalid address is marked once it is committed, until it is valid again")
    @MainActor func badServer() {
        let settings = SettingsViewModel(AppSettings(), token: nil) { $0.hasPrefix("http://") }
        func isMarked(after action: SettingsViewModel.Action) -> Bool {
            settings.send(action)
            return settings.store.state.hasBadServer
        }
        #expect(!isMarked(after: .setServer("ftp://xy")))
        #expect(isMarked(after: .commit))
        #expect(isMarked(after: .setServer("http:/")))
        #expect(!isMarked(after: .setServer("http://xy")))
        #expect(!isMarked(after: .commit))
        #expect(!isMarked(after: .setServer(" ")) && !isMarked(after: .commit))
    }

    @Test("An invalid saved address is marked at once")
    @MainActor func kept() {
        var kept = AppSettings()
        kept.server = "127.0.0.1:3000"
        #expect(SettingsViewModel(kept, token: nil) { _ in false }.store.state.hasBadServer)
    }
}
