import AppFlow
import Foundation
import Testing

@testable import CallWindow
@testable import WindowKit

@Suite("Localized texts")
struct StringsTests {
    private static let english = Strings(.english, folder: ScreenBench.strings)

    @Test(
        "Every language has the same keys and the same placeholders",
        arguments: [
            AppSettings.Language.ukrainian, .russian,
        ]
    )
    func completeness(language: AppSettings.Language) {
        let strings = Strings(language, folder: ScreenBench.strings)
        #expect(!strings.isEmpty)
        #expect(strings.keys == Self.english.keys)
        for key in Self.english.keys {
            #expect(Self.placeholders(strings[key]) == Self.placeholders(Self.english[key]), "\(key)")
            #expect(!strings[key].trimmingCharacters(in: .whitespaces).isEmpty, "\(key)")
        }
    }

    @Test("Past events are not described in the present tense", arguments: ["uk", "ru"])
    func tense(language: String) {
        let strings = Strings(language: language, folder: ScreenBench.strings)
        let keys = [
            "room.notice.left", "ended.hung-up.peer", "ended.declined.peer", "ended.left", "ended.no-answer",
        ]
        let endings = ["ує", "яє", "ить", "ает", "яет", "ють"]
        for key in keys {
            let words = strings[key].split(separator: " ")
            #expect(!words.contains { word in endings.contains { word.hasSuffix($0) } }, "\(strings[key])")
        }
    }

    @Test("The Ukrainian texts match those of the original client application")
    func seed() {
        let strings = Strings(.ukrainian, folder: ScreenBench.strings)
        #expect(strings["login.continue"] == "Продовжити")
        #expect(strings["room.connect"] == "Під'єднатись")
        #expect(strings["room.disconnect"] == "Від'єднатись")
        #expect(strings["room.start"] == "Почати дзвінок")
    }

    @Test("Every text key in the source code has a text")
    func keys() throws {
        let sources = URL(filePath: ScreenBench.strings)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/CallWindow")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        let literal = /"([a-z]+\.[a-z][a-z.-]*)"/
        let areas: Set = ["common", "notice", "problem", "statistics", "ended"]
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where line.contains("trings[") || line.contains("strings(") || line.contains("self[") {
                for match in line.matches(of: literal) {
                    let key = String(match.1)
                    let isAsked =
                        areas.contains(String(key.prefix { $0 != "." })) || line.contains("trings[\"\(key)")
                    guard isAsked else { continue }
                    #expect(Self.english.has(key), "\(key) in \(file.lastPathComponent)")
                }
            }
        }
    }

    @Test(
        "The first locale variable that is not empty determines the language",
        arguments: [
            ([:], .english), (["LANG": "uk_UA.UTF-8"], .ukrainian), (["LANG": "ru"], .russian),
            (["LC_ALL": "", "LC_MESSAGES": "uk_UA", "LANG": "ru_RU"], .ukrainian),
            (["LC_ALL": "C.UTF-8", "LANG": "uk_UA"], .english), (["LANG": "de_DE.UTF-8"], .english),
        ] as [([String: String], AppSettings.Language)]
    )
    func locale(environment: [String: String], language: AppSettings.Language) {
        #expect(AppSettings.Language(environment: environment) == language)
    }

    @Test("A missing text is represented by its key, and placeholders are replaced")
    func missing() {
        let strings = Strings(.english, folder: "/nowhere")
        #expect(strings.isEmpty && strings["login.continue"] == "login.continue")
        #expect(Self.english("common.room", ["room": "7"]) == "Room 7")
    }

    private static func placeholders(_ text: String) -> [String] {
        text.matches(of: /\{[a-z]+\}/).map { String($0.0) }.sorted()
    }
}
