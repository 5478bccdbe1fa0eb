internal import AccountsCore
internal import Basics
internal import Hummingbird
internal import NIOCore

/// A reader for the fields of a request's body; it collects the problems of invalid fields.
struct FieldReader {
    /// The maximum number of values in a body; millions, which fit into a large one, would occupy a processor for a second.
    private static let mostValues = 1000

    private let members: JSONObject
    private var problems: [AccountRefusal.Field] = []

    /// Reads the body.
    ///
    /// - Throws: `AccountRefusal` if it is not a JSON object, or has too many values; errors of the connection.
    init(_ request: Request, maximum: Int) async throws {
        let body = try await request.body.collect(upTo: maximum)
        guard let json = try? JSON(parsing: Array(body.readableBytesView), maximumValues: Self.mostValues)
        else {
            throw AccountRefusal.invalid([.init("", "the body is not JSON", kind: "json_invalid")])
        }
        guard let members = json.objectValue else {
            throw AccountRefusal.invalid([.init("", "the body is not an object", kind: "model_type")])
        }
        self.members = members
    }

    /// Returns whether the request contains the field, including a null value.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// Returns whether the field is null or an empty string.
    func isEmpty(_ name: String) -> Bool { members[name]?.isNull == true || members[name]?.stringValue == "" }

    /// Returns the value of an object field; nil if it is missing or of another type.
    func object(_ name: String) -> JSONObject? { members[name]?.objectValue }

    /// Reads a required string and validates it; records a problem and returns nil if it is invalid.
    mutating func required<Value>(
        _ field: AccountRules.Field,
        _ check: (String) throws(AccountRules.Problem) -> Value
    ) -> Value? {
        let name = field.rawValue
        guard let value = members[name] else {
            fail(name, "the field is required", kind: "missing")
            return nil
        }
        guard let text = value.stringValue else {
            fail(name, "the field is not a string", kind: "string_type")
            return nil
        }
        do throws(AccountRules.Problem) {
            return try check(text)
        } catch {
            fail(name, error.message)
            return nil
        }
    }

    /// Reads an optional string: nil if it is missing or invalid, `.some(nil)` if it is null or empty, which clears the
    /// field.
    mutating func optional<Value>(
        _ field: AccountRules.Field,
        _ check: (String) throws(AccountRules.Problem) -> Value
    ) -> Value?? {
        guard has(field.rawValue) else { return nil }
        if isEmpty(field.rawValue) { return .some(nil) }
        return required(field, check).map { .some($0) } ?? nil
    }

    /// Returns the value of a string field without validation; nil if it is missing, null or of another type.
    func plain(_ name: String) -> String? { members[name]?.stringValue }

    mutating func fail(_ name: String, _ message: String, kind: String = "value_error") {
        problems.append(AccountRefusal.Field(name, message, kind: kind))
    }

    /// Checks that no field was invalid.
    ///
    /// - Throws: `AccountRefusal` if any field was.
    func check() throws(AccountRefusal) {
        guard problems.isEmpty else { throw .invalid(problems) }
    }
}

extension AccountRules.Problem {
    /// The problem in English, for the server's response.
    fileprivate var message: String {
        switch self {
        case .empty: "the field must not be empty"
        case .tooLong(let maximum): "at most \(maximum) characters are allowed"
        case .tooShort(let minimum): "at least \(minimum) characters are needed"
        case .characters: "the field has characters that are not allowed"
        case .form: "the field is not in the expected format"
        case .noDay: "there is no such day"
        case .range: "the date is not between 1900 and today"
        }
    }
}
