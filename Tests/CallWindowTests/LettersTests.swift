import CImGui
import CSDL
import Testing

@testable import CallWindow

extension CallWindowTests {
    @Suite("Textures with font glyphs")
    @WindowActor struct LettersTests {
        private let fonts = FontFiles.find()

        private func width(of text: String, _ context: DrawContext) -> Double {
            Double(cig_text_size(context.imgui, Int32(TypeStyle.body.rawValue), text, text.utf8.count).width)
        }

        @Test("Glyphs that are too large for a texture or for memory are drawn by enlarging smaller ones")
        func large() async throws {
            let bench = try await ScreenBench()
            let sprites = bench.window.canvas.sprites
            let context = DrawContext()
            var rows = 0
            context.prepareLetters(fonts, scale: 1.5) { coverage, width, height in
                rows = height
                return sprites.makeTexture(of: coverage, width: width, height: height)
            }
            #expect(context.lettersScale == 1.5)
            let usual = width(of: "Answer", context)
            context.prepareLetters(fonts, scale: 3) { coverage, width, height in
                height > rows ? nil : sprites.makeTexture(of: coverage, width: width, height: height)
            }
            #expect(context.lettersScale == 1.5)
            #expect(abs(width(of: "Answer", context) - 2 * usual) < 4)
            var largest = 0
            context.prepareLetters(fonts, scale: 8) { coverage, width, height in
                largest = max(largest, coverage.count)
                return sprites.makeTexture(of: coverage, width: width, height: height)
            }
            #expect(context.lettersScale == DrawContext.largestLetters && largest <= 1 << 24)
            #expect(abs(width(of: "Answer", context) - 8 / 1.5 * usual) < 16)
        }

        @Test("The number of attempts to create a texture is bounded")
        func none() {
            let context = DrawContext()
            var count = 0
            context.prepareLetters(fonts, scale: 8) { _, _, _ in
                count += 1
                return nil
            }
            #expect(count == 4 && context.lettersScale == 0.5)
        }
    }
}
