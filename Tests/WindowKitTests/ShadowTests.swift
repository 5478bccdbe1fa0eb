import Testing

@testable import WindowKit

@Suite("Shadows")
@WindowActor struct ShadowTests {
    @Test(
        "The shadow of a box that is cut by a clip rectangle reaches up to the cut",
        arguments: [140, 200, 351]
    )
    func cut(at end: Int) throws {
        let sheet = try Sheet(folder: nil)
        sheet.painter.clip(Box(x: 0, y: 0, width: 768, height: Double(end))) {
            let box = Box(x: 200, y: 60, width: 300, height: 400)
            sheet.painter.shadow(of: box, radius: 12, height: 14, Color(0x000000))
        }
        let picture = try sheet.rendered()
        for column in [197, 503] {
            #expect(sheet.inked(picture, column..<column + 1, 80..<end) == end - 80)
        }
        #expect(sheet.inked(picture, 0..<768, end..<576) == 0)
    }
}
