import Basics
import Testing

@Suite("Splitting bytes into lines", .timeLimit(.minutes(4)))
struct LineSplitterTests {
    @Test("Lines are split at line feeds regardless of how the bytes arrive")
    func splitting() {
        let bytes = Array("a\r\n\n  \nbc\n\nd".utf8)
        for size in 1...bytes.count {
            var splitter = LineSplitter()
            var lines: [LineSplitter.Line] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                lines += splitter.append(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            lines += splitter.finish()
            #expect(lines == ["a", "bc", "d"].map { .text(Array($0.utf8)) })
        }
    }

    @Test("A line above the size limit is reported once, and the next line is read")
    func longLine() {
        var splitter = LineSplitter()
        let whole = [UInt8](repeating: 97, count: LineSplitter.maximumBytes)
        #expect(splitter.append(whole + [10]) == [.text(whole)])
        #expect(splitter.append(whole) == [])
        #expect(splitter.append([97]) == [.tooLong])
        for _ in 0..<50 { #expect(splitter.append(whole) == []) }
        #expect(splitter.append([97, 10, 98, 10]) == [.text([98])])
    }
}
