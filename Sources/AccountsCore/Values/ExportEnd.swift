/// The end of a complete export of a user's data.
///
/// Some HTTP clients take a response that breaks off between two chunks for complete. No text in the export can contain
/// these bytes, because quotation marks in texts are escaped.
package enum ExportEnd {
    package static let text = "\"complete\":true}"
}
