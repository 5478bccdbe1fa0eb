internal import CPhone

/// A country or territory with a calling code.
package struct Country: Hashable, Sendable {
    /// The two capital letters of ISO 3166-1.
    package let region: String
    /// The calling code, such as 380.
    package let code: Int

    private init(region: String, code: Int) { (self.region, self.code) = (region, code) }

    /// Returns the country of a region; nil if it has no calling code.
    package init?(region: String) {
        guard let country = Self.byRegion[region.uppercased()] else { return nil }
        self = country
    }

    /// Returns the country that a calling code stands for in the first place; nil for an unknown code.
    package init?(code: Int) {
        guard let code = Int32(exactly: code),
            let region = phoneText({ callrunner_phone_main_region(code, $0, $1) })
        else { return nil }
        self.init(region: region)
    }

    /// All countries, in no particular order.
    package static var all: some Collection<Country> & Sendable { byRegion.values }

    /// The calling codes, all of which have at most three digits, and none of which begins with another one.
    static let codes = Set(byRegion.values.map(\.code))

    private static let byRegion: [String: Country] = {
        /// The regions while C code lists them.
        final class Found { var countries: [String: Country] = [:] }
        let found = Found()
        callrunner_phone_regions(Unmanaged.passUnretained(found).toOpaque()) { context, region, code in
            guard let context, let region else { return }
            let found = Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
            let name = String(cString: region)
            found.countries[name] = Country(region: name, code: Int(code))
        }
        return found.countries
    }()

    /// The national digits of an example of a number, formatted; empty if there is none.
    package var example: String {
        let digits = phoneText { callrunner_phone_example(region, $0, $1) } ?? ""
        return PhoneEntry(country: self, digits: digits).text
    }
}

/// Calls a function of libphonenumber that writes a text; nil if it has none.
func phoneText(_ write: (_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: callrunner_phone_size) { buffer in
        guard let start = buffer.baseAddress, write(start, buffer.count) >= 0 else { return nil }
        return String(cString: start)
    }
}
