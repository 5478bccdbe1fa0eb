import AppFlow
import CSDL
import CallCore
import Testing

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Resizing a window")
    @WindowActor struct ResizeTests {
        private static let sizes = [
            (481, 640), (480, 640), (700, 500), (1200, 300), (300, 900), (160, 90), (1920, 1080), (960, 540),
        ]

        /// Returns the pixels that are on the screen, without drawing again.
        private func presented(_ bench: ScreenBench) throws -> Snapshot {
            try #require(bench.window.canvas.snapshot())
        }

        /// Resizes the window as the desktop would, and waits for the next frame.
        private func resize(_ bench: ScreenBench, to width: Int, _ height: Int) async {
            let before = bench.window.redraws
            SDL_SetWindowSize(SDL_GetWindowFromID(bench.window.id), Int32(width), Int32(height))
            while bench.window.redraws == before { await Task.yield() }
        }

        @Test("After each resize, the next frame shows the complete room screen at the new size")
        func room() async throws {
            let bench = try await ScreenBench()
            bench.show(.room(try await bench.room()))
            for (width, height) in Self.sizes {
                await resize(bench, to: width, height)
                let frame = try presented(bench)
                #expect((frame.width, frame.height) == (width, height))
                #expect(frame.rgb == bench.window.snapshot()?.rgb, "\(width)×\(height)")
                #expect(Set(stride(from: 0, to: frame.rgb.count, by: 3).map { frame.rgb[$0] }).count > 8)
            }
        }

        @Test("A redraw covers the area around the video as well", arguments: [(1200, 300), (300, 900)])
        func bars(width: Int, height: Int) async throws {
            let bench = try await ScreenBench(width: width, height: height)
            bench.show(.call(await bench.call { $0.heldSince = .now }))
            SolidFrame.red.sized(640, 360).show(on: bench.window.sink)
            bench.settle()
            bench.window.canvas.clear(Color(0xFF00FF))
            #expect(try presented(bench).isNear(255, 0, 255, x: 1, y: 1))
            bench.window.needsRedraw = true
            bench.window.redrawIfNeeded()
            let frame = try presented(bench)
            let magenta = stride(from: 0, to: frame.rgb.count, by: 3).filter { start in
                frame.rgb[start] > 240 && frame.rgb[start + 1] < 16 && frame.rgb[start + 2] > 240
            }
            #expect(magenta.isEmpty)
            #expect(frame.isNear(255, 0, 0, x: width / 2, y: height / 2))
        }

        @Test("After each resize, the next frame shows the remote video at the new size")
        func call() async throws {
            let bench = try await ScreenBench()
            bench.show(.call(await bench.call { $0.heldSince = .now }))
            SolidFrame.red.sized(640, 360).show(on: bench.window.sink)
            bench.settle()
            for (width, height) in Self.sizes {
                await resize(bench, to: width, height)
                let frame = try presented(bench)
                #expect((frame.width, frame.height) == (width, height))
                let video = CallLayout(width: width, height: height).remote(width: 640, height: 360)
                for x in [video.x, video.x + video.width - 1] {
                    let y = video.y + video.height / 2
                    #expect(frame.isNear(255, 0, 0, x: x, y: y), "\(width)×\(height)")
                }
            }
        }
    }
}
