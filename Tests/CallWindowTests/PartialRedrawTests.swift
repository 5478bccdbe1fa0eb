import AppFlow
import Basics
import CSDL
import Testing

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Partial redraws")
    @WindowActor struct PartialRedrawTests {
        private static let magenta = Color(0xFF00FF)
        private let bench: ScreenBench
        private var window: CallWindow { bench.window }

        /// Shows a call with bars above and below the remote video, and with local video in a corner.
        init() async throws {
            bench = try await ScreenBench(width: 800, height: 700)
            bench.show(.call(await bench.call { $0.heldSince = .now }))
            show(.red, .remote)
            show(.blue, .local)
            bench.settle()
        }

        private func show(_ frame: SolidFrame, _ side: MediaSide) {
            frame.sized(640, 360).show(on: window.sink, from: side)
            window.frameArrived()
            window.redrawIfNeeded()
        }

        private var presented: Snapshot { get throws { try #require(window.canvas.snapshot()) } }

        private var place: Rect { CallLayout(width: 800, height: 700).remote(width: 640, height: 360) }

        private var tile: Rect { get throws { try #require(window.screenHost.localTile) } }

        /// Overwrites the window, so that a test can find the part that is drawn again.
        private func paintOver() { window.canvas.clear(Self.magenta) }

        /// Returns a pixel outside `rect` that was redrawn since `paintOver()`, or one inside that was not.
        private func mistake(outside rect: Rect) throws -> String? {
            let snapshot = try presented
            for y in stride(from: 0, to: snapshot.height, by: 3) {
                for x in stride(from: 0, to: snapshot.width, by: 3) {
                    let pixel = Rect(x: x, y: y, width: 1, height: 1)
                    let isInside = pixel.intersection(rect) == pixel
                    let isOld = snapshot.isNear(255, 0, 255, x: x, y: y)
                    if isOld == isInside { return "\(x), \(y): \(snapshot[x, y]), \(rect)" }
                }
            }
            return nil
        }

        @Test("A remote frame redraws only the area of the remote video")
        func remote() throws {
            paintOver()
            show(.green, .remote)
            // The local video's tile extends into the bar, where it is not redrawn.
            let mistake = try mistake(outside: place)
            #expect(mistake == nil)
            #expect(try presented.isNear(0, 255, 0, x: 400, y: 350))
        }

        @Test("A local frame redraws only the tile of the local video")
        func local() throws {
            window.latestFrame.discard(.remote)  // otherwise the local frame would wait for a remote one
            paintOver()
            show(.green, .local)
            let mistake = try mistake(outside: tile)
            #expect(mistake == nil)
            let center = (x: try tile.x + tile.width / 2, y: try tile.y + tile.height / 3)
            #expect(try presented.isNear(0, 255, 0, x: center.x, y: center.y))
        }

        @Test("A changed audio level redraws only its meter, and an unchanged level redraws nothing")
        func meter() throws {
            window.sink.show(audioLevel: -20, of: .remote)
            paintOver()
            window.frameArrived()
            window.redrawIfNeeded()
            let bar = CallLayout(width: 800, height: 700).meter(of: .remote, width: 640, height: 360)
            let mistake = try mistake(outside: bar)
            #expect(mistake == nil)
            let redraws = window.redraws
            window.frameArrived()
            window.redrawIfNeeded()
            #expect(window.redraws == redraws)
        }

        @Test("After partial redraws, the window looks the same as after a complete redraw")
        func whole() throws {
            show(.green, .remote)
            show(.red, .local)
            window.sink.show(audioLevel: -20, of: .local)
            show(.blue, .remote)
            let presented = try presented
            #expect(presented.rgb == window.snapshot()?.rgb)
        }

        @Test("The first frame of a side redraws the whole window")
        func first() throws {
            for side in MediaSide.allCases {
                window.clear(side)
                paintOver()
                show(.green, side)
                let presented = try presented
                #expect(!presented.isNear(255, 0, 255, x: 1, y: 699))
                #expect(presented.rgb == window.snapshot()?.rgb)
            }
        }

        @Test("Frames are scaled on arrival, and again only after the window's size has changed")
        func scaling() async throws {
            let textures = [window.scene.remote, window.scene.local]
            let before = textures.map(\.lateScalings)
            for _ in 0..<5 {
                show(.green, .remote)
                show(.red, .local)
            }
            #expect(textures.map(\.lateScalings) == before)
            let redraws = window.redraws
            SDL_SetWindowSize(SDL_GetWindowFromID(window.id), 1000, 500)
            while window.redraws == redraws { await Task.yield() }
            bench.settle()
            #expect(window.scene.remote.lateScalings == before[0] + 1)
            #expect(try presented.isNear(0, 255, 0, x: 500, y: 20))
            show(.blue, .remote)
            #expect(window.scene.remote.lateScalings == before[0] + 1)
            #expect(try presented.isNear(0, 0, 255, x: 500, y: 20))
        }

        @Test("The corners of the local video are round")
        func corners() throws {
            let tile = try tile
            for x in [tile.x, tile.x + tile.width - 1] {
                #expect(try presented.isNear(0, 0, 255, x: x, y: tile.y) == false)
            }
            #expect(window.screenHost.tileRadius > 2)
        }
    }
}

@Suite("Rectangles")
struct RectTests {
    private let rect = Rect(x: 10, y: 20, width: 30, height: 40)

    @Test("The union contains both rectangles, and the intersection is their common part")
    func overlap() {
        let other = Rect(x: 30, y: 10, width: 100, height: 20)
        #expect(rect.union(other) == Rect(x: 10, y: 10, width: 120, height: 50))
        #expect(rect.intersection(other) == Rect(x: 30, y: 20, width: 10, height: 10))
    }

    @Test("Rectangles that do not overlap have an intersection without width or height")
    func apart() {
        let beside = rect.intersection(Rect(x: 100, y: 30, width: 5, height: 5))
        let below = rect.intersection(Rect(x: 15, y: 100, width: 5, height: 5))
        #expect(beside.width == 0 && below.height == 0)
    }
}
