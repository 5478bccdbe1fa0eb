import CPhone
import Testing

@testable import PhoneKit

@Suite("Phone numbers that are typed")
struct PhoneEntryTests {
    private func country(_ region: String) throws -> Country { try #require(Country(region: region)) }

    private func digits(of text: String) -> String { text.filter(\.isNumber) }

    @Test("The example number of every region can be typed digit by digit into its mask")
    func examples() throws {
        #expect(Country.all.count > 240)
        var ambiguous: Set<String> = []
        for country in Country.all {
            let digits = digits(of: country.example)
            #expect(!digits.isEmpty, "\(country.region)")
            var entry = PhoneEntry(country: country)
            for (index, digit) in digits.enumerated() {
                entry.insert(String(digit))
                #expect(entry.cursor == index + 1, "\(country.region)")
                #expect(entry.textCursor == entry.text.count, "\(country.region) \(entry.text)")
                #expect(self.digits(of: entry.text) == String(digits.prefix(index + 1)), "\(country.region)")
            }
            #expect(entry.isPossible && entry.country == country, "\(country.region) \(entry)")
            #expect(entry.number == "+\(country.code)\(digits)")
            let formatted = formattedPhone(entry.number)
            #expect(self.digits(of: formatted) == "\(country.code)\(digits)", "\(formatted)")
            // The same number, pasted into the entry of another country.
            var pasted = PhoneEntry(country: try self.country(country.region == "FJ" ? "UA" : "FJ"))
            pasted.insert(formatted)
            #expect(pasted.number == entry.number && pasted.country.code == country.code, "\(formatted)")
            if pasted.country != country { ambiguous.insert(country.region) }
        }
        // These have the numbers of another region with the same calling code.
        #expect(ambiguous == ["AX", "BL", "CC", "CX", "EH", "IM", "MF", "SJ", "VA"])
    }

    @Test("The cursor position is a number of digits, regardless of the separators of the mask")
    func cursor() throws {
        var entry = PhoneEntry(country: try country("UA"), digits: "501234567")
        #expect(entry.text == "50 123 4567")
        for count in 0...9 {
            entry.moveCursor(by: -9)
            entry.moveCursor(by: count)
            #expect(
                digits(of: String(entry.text.prefix(entry.textCursor))) == String("501234567".prefix(count))
            )
        }
        for place in 0...entry.text.count {
            entry.moveCursor(toTextPlace: place)
            let before = String(entry.text.prefix(place))
            #expect(entry.cursor == digits(of: before).count)
        }
        entry.moveCursor(toTextPlace: 3)
        entry.insert("9")
        #expect(entry.digits == "5091234567" && entry.cursor == 3)
        entry.delete()
        entry.delete(forward: true)
        #expect(entry.digits == "50234567" && entry.cursor == 2)
        entry.moveCursor(by: -100)
        entry.delete()
        #expect(entry.digits == "50234567" && entry.cursor == 0)
    }

    @Test(
        "After +7 and +1, the next digits determine the country",
        arguments: [
            ("+79", "RU"), ("+77", "KZ"), ("+7701", "KZ"), ("+7495", "RU"), ("+1416", "CA"), ("+1212", "US"),
            ("+1876", "JM"), ("+1", "US"), ("+380", "UA"), ("+380501234567", "UA"), ("+44", "GB"),
            ("+39", "IT"),
        ]
    )
    func sharedCodes(text: String, region: String) throws {
        var whole = PhoneEntry(country: try country("DE"))
        whole.insert(text)
        #expect(whole.country.region == region)
        var typed = PhoneEntry(country: try #require(Country(code: whole.country.code)))
        for digit in text.dropFirst(1 + typed.country.code.description.count) { typed.insert(String(digit)) }
        #expect(typed.country.region == region && typed.digits == whole.digits)
    }

    @Test("Typing a plus sign and a calling code selects the country, and further digits are the number")
    func typedCode() throws {
        for country in Country.all {
            var entry = PhoneEntry(country: try self.country("UA"))
            for character in "+\(country.code)" { entry.insert(String(character)) }
            #expect(entry.codeDigits == nil && entry.country.code == country.code, "\(country.region)")
            for digit in digits(of: country.example) { entry.insert(String(digit)) }
            #expect(entry.number == "+\(country.code)\(digits(of: country.example))", "\(country.region)")
        }
    }

    @Test("A calling code can be corrected while it is typed, and digits that match no code are ignored")
    func unfinishedCode() throws {
        var entry = PhoneEntry(country: try country("UA"))
        entry.insert("+")
        #expect(entry.text == "+" && entry.textCursor == 1 && !entry.isPossible)
        entry.insert("3")
        entry.insert("5")
        entry.delete()
        entry.insert("8")
        #expect(entry.text == "+38" && entry.country.region == "UA")
        entry.delete()
        entry.delete()
        entry.delete()
        #expect(entry.codeDigits == nil && entry.text.isEmpty)
        entry.insert("+")
        entry.insert("0")
        #expect(entry.text == "+")
        entry.insert("49")
        #expect(entry.country.region == "DE" && entry.codeDigits == nil)
        entry.insert("+")
        entry.insert("3")
        entry.select(try country("FR"))
        #expect(entry.codeDigits == nil && entry.country.region == "FR")
    }

    @Test("A selected country stays selected while the digits are ambiguous")
    func hint() throws {
        var entry = PhoneEntry(country: try country("CA"))
        for (digit, region) in [("9", "CA"), ("0", "CA"), ("5", "CA")] {
            entry.insert(digit)
            #expect(entry.country.region == region)
        }
        entry.delete()
        entry.insert("6")
        #expect(entry.country.region == "US")
        entry.select(try country("US"))
        #expect(entry.country.region == "US")
    }

    @Test(
        "Pasted garbage leaves a valid entry",
        arguments: [
            "", "+", "++", "abc", "\0", "💣", "+999999999999999999999999", "00000000000000000000000", "١٢٣",
            "½²",
            "+٣٨٠ ٥٠ ١٢٣ ٤٥٦٧", String(repeating: "9", count: 100_000), "javascript:alert(1)",
            "+1\u{202E}234",
            "tel:+380-50-123-45-67;ext=5", "\u{FEFF}+380501234567",
        ]
    )
    func garbage(text: String) throws {
        var entry = PhoneEntry(country: try country("UA"), digits: "5")
        entry.insert(text)
        entry.insert("1")
        entry.delete()
        #expect(entry.digits.allSatisfy { $0.isASCII && $0.isNumber })
        #expect(entry.number.count <= 16)
        #expect(entry.textCursor <= entry.text.count)
        _ = (formattedPhone(text), Country(region: text), entry.isPossible)
    }

    @Test(
        "A number is extracted from a pasted text",
        arguments: [
            ("050 123-45-67", "+380501234567"), ("+380 (50) 123 45 67", "+380501234567"),
            ("tel:+380501234567", "+380501234567"), ("8 (495) 123-45-67", "+74951234567"),
        ]
    )
    func pasted(text: String, number: String) throws {
        var entry = PhoneEntry(country: try country(number.hasPrefix("+7") ? "RU" : "UA"), digits: "1")
        entry.insert(text)
        #expect(entry.number == number && entry.isPossible)
    }

    @Test(
        "A number is too long only if it has more digits than any number of its country",
        arguments: [
            ("UA", "501234567", false), ("UA", "50123456789", true), ("US", "2015550123", false),
            ("US", "20155501234", true), ("UA", "", false), ("UA", "5", false),
            ("UA", "50123456789012", true),
        ]
    )
    func length(region: String, digits: String, isTooLong: Bool) throws {
        #expect(PhoneEntry(country: try country(region), digits: digits).isTooLong == isTooLong)
    }

    @Test("Unknown regions and calling codes yield no country")
    func unknown() {
        #expect(Country(region: "XX") == nil && Country(region: "") == nil)
        #expect(Country(code: 0) == nil && Country(code: -1) == nil && Country(code: .max) == nil)
        #expect(Country(region: "ua")?.code == 380)
        #expect(formattedPhone("none") == "none")
    }
}
