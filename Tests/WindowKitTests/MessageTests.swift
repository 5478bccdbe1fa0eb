import Testing

@testable import WindowKit

@Suite("Drawn messages")
@WindowActor struct MessageTests {
    @Test(
        "The visible part of a message that is taller than any texture is drawn at each scroll position",
        arguments: [0, 0.5, 1]
    )
    func tall(place: Double) throws {
        let sheet = try Sheet(folder: nil)
        let text = Array(repeating: "word", count: 1000).joined(separator: "\n")
        let height = sheet.painter.size(ofMessage: text, width: 400).height
        let top = -(height - 576) * place
        sheet.painter.message(text, in: Box(x: 0, y: top, width: 400, height: height), Color(0xFFFFFF))
        let snapshot = try sheet.rendered()
        for row in stride(from: 0, to: 500, by: 50) {
            #expect(sheet.inked(snapshot, 0..<400, row..<row + 50) > 0, "\(row)")
        }
    }
}
