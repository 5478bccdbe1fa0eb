import Testing

@testable import callrunner

@Suite("The name of a file from the chat")
struct SavedNameTests {
    @Test(
        "A received file name stays within the folder, is not hidden, and has a limited length",
        arguments: [
            ("report.pdf", "report.pdf", "report (2).pdf"), ("../../.bashrc", "bashrc", "bashrc (2)"),
            ("a/b\\c\u{0}\n.txt", "abc.txt", "abc (2).txt"), ("", "file", "file (2)"),
            ("...", "file", "file (2)"),
            (".pdf", "pdf", "pdf (2)"), ("\u{202E}fdp.exe ", "fdp.exe", "fdp (2).exe"),
            (String(repeating: "a", count: 300) + ".png", String(repeating: "a", count: 116) + ".png", nil),
            ("x." + String(repeating: "y", count: 300), "x." + String(repeating: "y", count: 118), nil),
        ] as [(String, String, String?)]
    )
    func names(name: String, first: String, second: String?) {
        let names = SavedName(name, limit: 120)
        #expect(names.name(1) == first)
        if let second { #expect(names.name(2) == second) }
    }
}
