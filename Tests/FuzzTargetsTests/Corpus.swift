import Foundation
import Testing

/// The stored inputs of one fuzz target, from its folder in Tests/Fuzz/corpora.
struct Corpus {
    let inputs: [Input]

    struct Input: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]

        var testDescription: String { name }
    }

    init(_ target: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/corpora/\(target)")
        inputs = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            Input(name: name, bytes: Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }
}
