internal import CPhone

/// A country or territory with a calling code.
package struct Country: Hashable, Sendable {
    /// The region code of ISO 3166-1: two capital letters.
    package let region: String
    /// The calling code, such as 380.
    package let code: Int

    private init(region: String, code: Int) { (self.region, self.code) = (region, code) }

    /// Creates the country of a region; nil if the region is unknown or has no calling code.
    package init?(region: String) {
        guard let country = Self.byRegion[region.uppercased()] else { return nil }
        self = country
    }

    /// Creates the main country of a calling code; nil for an unknown code.
    package init?(code: Int) {
        guard let code = Int32(exactly: code),
            let region = phoneText({ callrunner_phone_main_region(code, $0, $1) })
        else { return nil }
        self.init(region: region)
    }

    /// All countries, in no particular order.
    package static var all: some Collection<Country> & Sendable { byRegion.values }

    /// All calling codes; each has at most three digits, and none is a prefix of another one.
    static let codes = Set(byRegion.values.map(\.code))

    private static let byRegion: [String: Country] = {
        /// The countries collected by the C callback.
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

    /// The formatted national digits of an example number; empty if there is none.
    package var example: String {
        let digits = phoneText { callrunner_phone_example(region, $0, $1) } ?? ""
        return PhoneEntry(country: self, digits: digits).text
    }
}

/// Calls a libphonenumber function that writes a text into a buffer; nil if the function returns no text.
func phoneText(_ write: (_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: callrunner_phone_size) { buffer in
        guard let start = buffer.baseAddress, write(start, buffer.count) >= 0 else { return nil }
        return String(cString: start)
    }
}
