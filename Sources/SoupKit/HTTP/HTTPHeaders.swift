internal import Basics

/// The header fields of an HTTP message, in order; names are compared without regard to case (RFC 9110 §5.1).
package struct HTTPHeaders: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String
    }

    package private(set) var fields: [Field] = []

    package init(_ fields: KeyValuePairs<String, String> = [:]) {
        self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    }

    /// The value of the first field with this name; nil if there is none.
    package subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Appends a field; other fields with the same name remain.
    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Whether each name is a token and no value contains a line break or a null character, which would end
    /// the field.
    var areValid: Bool {
        fields.allSatisfy { field in
            field.name.isHTTPToken && !field.value.utf8.contains { [0, 10, 13].contains($0) }
        }
    }
}
