import AccountsCore
import CallCore
import ChatCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

@Suite("Reasons why a server cannot be reached")
struct NetworkCauseTests {
    @Test("Common network failures are shown in the user's language, and others unchanged")
    func causes() {
        let details: [(String, String)] = [
            ("Could not connect to 127.0.0.1: Connection refused", "там немає сервера"),
            ("Error resolving “nix.example”: Name or service not known", "такої адреси немає"),
            ("Could not connect to 10.0.0.1: No route to host", "у мережі немає шляху до нього"),
            ("no connection within 10.0 seconds", "він не відповідає"),
            ("the server does not answer", "він не відповідає"),
            ("Socket I/O timed out", "він не відповідає"),
            ("HTTP status 502 Bad Gateway", "він відповідає помилкою (502)"),
            ("TLS: the server's certificate is expired", "його сертифікату немає довіри"),
            ("it has closed the connection (1011)", "він розірвав з’єднання"),
            ("a new kind of failure", "a new kind of failure"),
        ]
        let strings = Strings(.ukrainian, folder: ScreenBench.strings)
        for (detail, reason) in details {
            let failure = SignalingFailure.unreachable(url: "http://a", detail: detail)
            #expect(strings.sentence(of: Diagnosis(failure)) == "Сервер http://a недосяжний: \(reason)")
            let chat = strings.sentence(of: ChatError.network(detail))
            #expect(chat.hasSuffix(": \(reason)"), "\(chat)")
        }
        let status = strings.sentence(of: AccountFailure(status: 404, body: []))
        #expect(status.contains("(404)") && !status.contains("answers"))
    }

    @Test(
        "A file without media, and one that cannot be read, are reported as such in the user's language",
        arguments: ["en", "uk", "ru"]
    )
    func noFilm(language: String) {
        let strings = Strings(language: language, folder: ScreenBench.strings)
        var playback = LivePlayback()
        playback.address = .file("/home/ann/notes.txt")
        let text = strings.sentence(of: LiveFailure(.notMedia, "WHY"), playback)
        #expect(text == strings["live.problem.not-media.file"] && !text.contains("WHY"))
        for cause: LiveFailure.Cause in [.missing, .unreadable, .irregular] {
            let text = strings.sentence(of: LiveFailure(.file, "WHY", cause: cause), playback)
            #expect(!text.contains("WHY") && !text.contains("live.problem"))
        }
    }
}
