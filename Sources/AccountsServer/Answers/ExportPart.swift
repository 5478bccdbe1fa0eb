/// The data that another service of the server stores about users, as a part of their exports.
package protocol ExportPart: Sendable {
    /// The name of the member of the export.
    var name: String { get }

    /// Writes all data about a user: one JSON value, in any number of parts.
    ///
    /// - Throws: An error if the data cannot be read, or an error of `write`; the response then stays incomplete.
    @concurrent func write(about user: Int, _ write: @concurrent ([UInt8]) async throws -> Void) async throws
}
