import CSDL
import Testing

@testable import WindowKit

/// A canvas of 768 × 576 pixels in memory, which needs no display.
@WindowActor final class Sheet {
    let painter: Painter
    private let canvas: Canvas
    private let surface: UnsafeMutablePointer<SDL_Surface>
    private let ground = Color(0xFF00FF)

    init(folder: String?) throws {
        let format = SDL_PIXELFORMAT_ARGB8888.rawValue
        surface = try #require(SDL_CreateRGBSurfaceWithFormat(0, 768, 576, 32, format))
        canvas = Canvas(renderer: try #require(SDL_CreateSoftwareRenderer(surface)))
        painter = Painter(
            context: DrawContext(canvas, flagsFolder: folder),
            sprites: canvas.sprites
        )
        painter.begin(scale: 1, pixels: (768, 576))
    }

    isolated deinit {
        SDL_DestroyRenderer(canvas.renderer)
        SDL_FreeSurface(surface)
    }

    func rendered() throws -> Snapshot {
        canvas.clear(ground)
        painter.context.render(on: canvas)
        return try #require(canvas.snapshot())
    }

    /// Counts the pixels of a part that something is drawn on.
    func inked(_ snapshot: Snapshot, _ columns: Range<Int>, _ rows: Range<Int>) -> Int {
        rows.reduce(0) { sum, y in
            sum + columns.count { snapshot[$0, y] != (ground.red, ground.green, ground.blue) }
        }
    }
}
