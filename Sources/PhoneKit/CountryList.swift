internal import Foundation

/// The countries with their names in one language, sorted by name in that language.
package struct CountryList: Sendable {
    package struct Entry: Hashable, Sendable {
        package let country: Country
        package let name: String
        /// The name without accents and in lower case, for searches.
        fileprivate let searched: String
    }

    package let entries: [Entry]

    /// Creates the list; `language` is an ISO 639-1 code, such as `uk`.
    ///
    /// The names are those of Unicode's CLDR, which are the common ones and require no package at run time.
    package init(language: String) {
        let locale = Locale(identifier: language)
        entries = Country.all.map { country in
            let name = locale.localizedString(forRegionCode: country.region) ?? country.region
            return Entry(country: country, name: name, searched: Self.folded(name, locale))
        }.sorted { $0.name.compare($1.name, locale: locale) == .orderedAscending }
    }

    /// Returns the countries whose name contains a word that begins with `text`, whose calling code begins with it, or
    /// whose region code equals it.
    package func matching(_ text: String) -> [Entry] {
        let wanted = Self.folded(text.trimmingCharacters(in: .whitespaces), nil)
        guard !wanted.isEmpty else { return entries }
        let digits = wanted.hasPrefix("+") ? String(wanted.dropFirst()) : wanted
        return entries.filter { entry in
            entry.country.code.description.hasPrefix(digits) || entry.country.region.lowercased() == wanted
                || entry.searched.hasPrefix(wanted)
                || entry.searched.ranges(of: wanted).contains { range in
                    range.lowerBound == entry.searched.startIndex
                        || !entry.searched[entry.searched.index(before: range.lowerBound)].isLetter
                }
        }
    }

    private static func folded(_ text: String, _ locale: Locale?) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: locale)
    }
}

extension Country {
    /// Returns the country in which the user's phone is likely registered.
    ///
    /// It is determined by the locale (`LC_ALL`, `LC_TELEPHONE`, `LANG`), or else by the time zone, such as
    /// `Europe/Kyiv`, with the table of Debian's tzdata. The default is the United States.
    package static func likely(
        _ environment: [String: String],
        zone: String = TimeZone.current.identifier,
        zoneTable: String = "/usr/share/zoneinfo/zone.tab"
    ) -> Country? {
        for name in ["LC_ALL", "LC_TELEPHONE", "LANG"] {
            guard let value = environment[name], !value.isEmpty else { continue }
            // A locale such as C has no region, but takes precedence over the other variables.
            let region = value.prefix { $0 != "." && $0 != "@" }.split(separator: "_").dropFirst().first
            if let country = region.flatMap({ Country(region: String($0)) }) { return country }
            break
        }
        let table = (try? String(contentsOfFile: zoneTable, encoding: .utf8)) ?? ""
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t")
            guard fields.count > 2, fields[2] == zone else { continue }
            if let country = Country(region: String(fields[0])) { return country }
        }
        return Country(region: "US")
    }
}
