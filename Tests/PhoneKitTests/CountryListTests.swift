import Testing

@testable import PhoneKit

@Suite("Countries and their names")
struct CountryListTests {
    @Test(
        "Each country has a name in each language of the app",
        arguments: [("en", "Ukraine"), ("uk", "Україна"), ("ru", "Украина")]
    )
    func names(language: String, ukraine: String) {
        let list = CountryList(language: language)
        #expect(Set(list.entries.map(\.country)) == Set(Country.all))
        #expect(list.entries.allSatisfy { !$0.name.isEmpty && $0.name != $0.country.region })
        #expect(list.entries.first { $0.country.region == "UA" }?.name == ukraine)
        let sorted = list.entries.map(\.name)
        #expect(sorted.first?.first == (language == "en" ? "A" : "А"))
        // Ґ follows Г, and does not stand at the end, where its code point would put it.
        #expect(sorted.last?.first == (language == "en" ? "Z" : "Я"))
    }

    @Test(
        "A search matches words of the name, the calling code and the region",
        arguments: [
            ("en", "ukr", ["UA"]), ("en", "+380", ["UA"]), ("en", "380", ["UA"]), ("en", "aland", ["AX"]),
            ("en", "  ICEL ", ["IS"]), ("uk", "укра", ["UA"]), ("ru", "УКРА", ["UA"]), ("en", "zzz", []),
            ("en", "kingdom", ["GB"]), ("en", "côte", ["CI"]), ("en", "cote", ["CI"]),
        ]
    )
    func search(language: String, text: String, regions: [String]) {
        #expect(CountryList(language: language).matching(text).map(\.country.region) == regions)
    }

    @Test("An empty search returns all countries")
    func all() {
        let list = CountryList(language: "en")
        #expect(list.matching(" ") == list.entries)
        #expect(list.matching("+1").count > 20)
    }

    @Test("The likely country comes from the locale, else from the time zone, and else is the United States")
    func likely() {
        func region(_ environment: [String: String], zone: String) -> String? {
            Country.likely(environment, zone: zone)?.region
        }
        #expect(region(["LANG": "uk_UA.UTF-8"], zone: "Europe/Berlin") == "UA")
        #expect(region(["LC_TELEPHONE": "de_AT", "LANG": "uk_UA.UTF-8"], zone: "UTC") == "AT")
        #expect(region(["LC_ALL": "en_GB@euro", "LC_TELEPHONE": "de_AT"], zone: "UTC") == "GB")
        #expect(region(["LC_ALL": "", "LANG": "fr_CA"], zone: "UTC") == "CA")
        #expect(region(["LANG": "C.UTF-8"], zone: "Europe/Berlin") == "DE")
        #expect(region(["LC_ALL": "C", "LANG": "uk_UA"], zone: "Asia/Almaty") == "KZ")
        #expect(region([:], zone: "UTC") == "US")
        #expect(region(["LANG": "xx_YY"], zone: "nowhere") == "US")
        #expect(Country.likely([:], zone: "Europe/Kyiv", zoneTable: "/missing")?.region == "US")
    }
}
