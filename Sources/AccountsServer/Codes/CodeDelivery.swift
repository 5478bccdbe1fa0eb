/// A method of delivering codes to the phones of users.
package protocol CodeDelivery: Sendable {
    /// Whether the code is fixed and known to everybody, so that only users of this computer may sign in.
    var isTest: Bool { get }

    /// Creates a code of six digits.
    func makeCode() -> String

    /// Sends a code to a phone.
    ///
    /// - Throws: `CodeDeliveryFailure`.
    func send(_ code: String, to phone: String) async throws(CodeDeliveryFailure)
}

extension CodeDelivery {
    package var isTest: Bool { false }

    package func makeCode() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = String(Int.random(in: 0...999_999, using: &random))
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}

/// The reason why a code was not sent, for the log.
package struct CodeDeliveryFailure: Error, Hashable, Sendable {
    package let message: String

    package init(_ message: String) { self.message = message }
}

/// A fixed code that is not sent, for tests and for servers that are reached only from their own computer.
package struct TestCode: CodeDelivery {
    package let isTest = true
    private let code: String

    package init(_ code: String) { self.code = code }

    package func makeCode() -> String { code }

    package func send(_ code: String, to phone: String) async throws(CodeDeliveryFailure) {}
}
