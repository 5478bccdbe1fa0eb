import CSDL
import Testing
import TextModel

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Texts in the window")
    @WindowActor struct LettersTests {
        @Test("Text at a scale of 8 is drawn, and is as wide in points as at a scale of 1")
        func large() async throws {
            let bench = try await ScreenBench(width: 3840, height: 2160)
            let painter = bench.window.screenHost.ui.painter
            painter.begin(scale: 1, pixels: (3840, 2160))
            let usual = painter.width(of: "Answer", .body)
            painter.begin(scale: 8, pixels: (3840, 2160))
            #expect(abs(painter.width(of: "Answer", .body) - usual) < 4)
            painter.text("Answer", in: Box(width: 400, height: 60), .display, .white)
            #expect(painter.context.texts.bytes > 0)
        }

        @Test(
            "A long paragraph is wrapped up to its maximum number of lines, and an empty one has no height",
            arguments: [1.0, 2]
        )
        func fitting(scale: Double) async throws {
            let bench = try await ScreenBench()
            let painter = bench.window.screenHost.ui.painter
            painter.begin(scale: scale, pixels: (480, 640))
            let long = String(repeating: "word ", count: 200)
            #expect(painter.width(of: long, .body) > 1000)
            let height = painter.height(of: long, .caption, width: 200, limit: 4)
            #expect(height == 4 * TypeStyle.caption.lineHeight)
            #expect(painter.height(of: "", .caption, width: 200) == 0)
        }
    }
}
