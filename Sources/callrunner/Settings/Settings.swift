/// The settings from flags, environment, configuration file and defaults, in this order of precedence.
struct Settings {
    /// The possible sources of a value, in order of precedence.
    enum Origin: Int, Comparable {
        case flag, environment, file, byDefault

        static func < (left: Origin, right: Origin) -> Bool { left.rawValue < right.rawValue }
    }

    struct Entry: Hashable {
        var texts: [String]
        var origin: Origin
    }

    let environment: [String: String]
    let file: SettingsFile

    /// The settings without environment and configuration file.
    static let none = Settings(environment: [:], file: .none)

    /// Returns the values from the source with the highest precedence; nil if there are neither values nor a
    /// default.
    ///
    /// `flags` are the values on the command line.
    func entry(_ setting: Setting, _ flags: [String] = []) -> Entry? {
        if !flags.isEmpty { return Entry(texts: flags, origin: .flag) }
        if let text = environment[setting.variable], !text.isEmpty {
            let texts = setting.isList ? text.split(separator: ",").map(String.init) : [text]
            return Entry(texts: texts, origin: .environment)
        }
        if let texts = file.texts[setting], !texts.isEmpty { return Entry(texts: texts, origin: .file) }
        return setting.defaultText.map { Entry(texts: [$0], origin: .byDefault) }
    }

    /// Returns the name of a setting at its source: the flag, the variable, or the member of the file.
    func name(of setting: Setting, from origin: Origin) -> String {
        switch origin {
        case .flag, .byDefault: setting.flag
        case .environment: setting.variable
        case .file: "“\(setting.rawValue)” in \(file.path ?? "the configuration file")"
        }
    }

    // MARK: Values

    /// Reads a value and parses it with `read`; nil if there is neither a value nor a default.
    ///
    /// - Throws: `Failure` with exit code 64 that names the flag, variable or file.
    func value<Value>(
        _ setting: Setting,
        _ flag: String?,
        _ read: (String) throws -> Value
    ) throws(Failure) -> Value? {
        guard let entry = entry(setting, [flag].compactMap(\.self)) else { return nil }
        guard entry.texts.count == 1, let text = entry.texts.first else {
            throw .usage("\(name(of: setting, from: entry.origin)): exactly one value is expected")
        }
        return try self.read(setting, text, from: entry.origin, read)
    }

    /// Reads a value like `value(_:_:_:)`, and throws if there is none.
    func required<Value>(
        _ setting: Setting,
        _ flag: String?,
        _ read: (String) throws -> Value
    ) throws(Failure) -> Value {
        guard let value = try value(setting, flag, read) else {
            throw .usage("\(setting.flag) is missing", hint: "give \(setting.flag), or \(setting.variable)")
        }
        return value
    }

    func text(_ setting: Setting, _ flag: String?) throws(Failure) -> String? {
        try value(setting, flag) { $0 }
    }

    func isOn(_ setting: Setting, _ flag: Bool) throws(Failure) -> Bool {
        try value(setting, flag ? "true" : nil, SettingText.truth) ?? false
    }

    /// Reads all values of a setting that accepts several values; empty if there are none.
    ///
    /// - Throws: `Failure` with exit code 64 that names the flag, variable or file.
    func list<Value>(
        _ setting: Setting,
        _ flags: [String],
        _ read: (String) throws -> Value
    ) throws(Failure) -> [Value] {
        guard let entry = entry(setting, flags) else { return [] }
        var values: [Value] = []
        for text in entry.texts { values.append(try self.read(setting, text, from: entry.origin, read)) }
        return values
    }

    /// Determines which of two mutually exclusive settings is on; nil if neither is.
    ///
    /// If both are on, the one from the source with the higher precedence wins.
    ///
    /// - Throws: `Failure` with exit code 64 if both come from the same source.
    func choice(
        _ one: Setting,
        _ isOne: Bool,
        _ other: Setting,
        _ isOther: Bool
    ) throws(Failure) -> Setting? {
        switch (try isOn(one, isOne), try isOn(other, isOther)) {
        case (false, false): return nil
        case (true, false): return one
        case (false, true): return other
        case (true, true): break
        }
        let origins = [(one, isOne), (other, isOther)].map { setting, isFlag in
            entry(setting, isFlag ? ["true"] : [])?.origin ?? .byDefault
        }
        guard origins[0] != origins[1] else {
            let names = [one, other].map { name(of: $0, from: origins[0]) }
            throw .usage("\(names[0]) and \(names[1]) cannot be used together", hint: "give one of them")
        }
        return origins[0] < origins[1] ? one : other
    }

    private func read<Value>(
        _ setting: Setting,
        _ text: String,
        from origin: Origin,
        _ read: (String) throws -> Value
    ) throws(Failure) -> Value {
        do { return try read(text) } catch {
            throw .usage("\(name(of: setting, from: origin)): \(error)")
        }
    }
}
