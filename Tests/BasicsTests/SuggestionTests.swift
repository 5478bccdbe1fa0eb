import Basics
import Testing

@Suite("Suggestions for misspelled names")
struct SuggestionTests {
    private static let commands = [
        "call", "app", "serve", "token", "demo", "recover", "doctor", "codecs", "help",
    ]

    @Test(
        "The most similar name is suggested",
        arguments: [
            ("serv", "serve"), ("cal", "call"), ("dcotor", "doctor"), ("codec", "codecs"), ("SERVE", "serve"),
            ("rec", "recover"), ("hepl", "help"),
        ]
    )
    func nearest(_ text: String, _ name: String) {
        #expect(Suggestion.nearest(to: text, among: Self.commands) == name)
    }

    @Test(
        "Text that resembles no name gets no suggestion",
        arguments: ["", "film.mp4", "x", "broadcast"]
    )
    func nothing(_ text: String) {
        #expect(Suggestion.nearest(to: text, among: Self.commands) == nil)
    }

    @Test("Text of a thousand characters gets no suggestion")
    func long() {
        #expect(Suggestion.nearest(to: String(repeating: "call", count: 250), among: Self.commands) == nil)
    }

    @Test("A suggestion is appended to a sentence as a question")
    func question() {
        #expect(Suggestion.question("losy", among: ["slow", "lossy"]) == "; did you mean “lossy”?")
        #expect(Suggestion.question("deaf", among: ["slow", "lossy"]).isEmpty)
    }
}
