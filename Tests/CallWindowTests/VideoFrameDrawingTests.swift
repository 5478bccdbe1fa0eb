import Basics
import CSDL
import Testing

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Video in the window")
    @WindowActor struct VideoFrameDrawingTests {
        private let window: CallWindow

        init() throws {
            window = try CallWindowTests.openWindow()
        }

        private func snapshot() throws -> Snapshot { try #require(window.snapshot()) }

        @Test("Before the first frame, the icon of the program is shown on a dark background")
        func placeholder() throws {
            let snapshot = try snapshot()
            #expect((snapshot.width, snapshot.height) == (480, 360))
            #expect(snapshot.isNear(255, 255, 255, x: 236, y: 180))
            #expect(snapshot.isNear(0x3B, 0x82, 0xF6, x: 240, y: 120))
            #expect(snapshot.isNear(0x0E, 0x10, 0x14, x: 10, y: 350))
        }

        @Test(
            "Remote video keeps its aspect ratio, with bars on two sides",
            arguments: [
                (640, 360, (240, 180), (240, 20)), (180, 360, (240, 180), (60, 180)),
                (33, 99, (240, 180), (100, 180)),
            ]
        )
        func letterbox(width: Int, height: Int, inside: (Int, Int), bar: (Int, Int)) throws {
            SolidFrame.red.sized(width, height).show(on: window.sink)
            let snapshot = try snapshot()
            #expect(snapshot.isNear(255, 0, 0, x: inside.0, y: inside.1))
            #expect(snapshot.isNear(0x0E, 0x10, 0x14, x: bar.0, y: bar.1))
        }

        @Test("A frame with non-square pixels is shown with its display aspect ratio")
        func shape() throws {
            var frame = SolidFrame.red.sized(180, 180)
            frame.shape = Resolution(width: 360, height: 180)
            frame.show(on: window.sink)
            let snapshot = try snapshot()
            #expect(snapshot.isNear(255, 0, 0, x: 5, y: 180))
            #expect(snapshot.isNear(0x0E, 0x10, 0x14, x: 240, y: 30))
        }

        @Test(
            "The brightness of gray follows the color range of the stream",
            arguments: [(VideoFrame.Colors.full, UInt8(235)), (.bt601, 255), (.bt709, 255)]
        )
        func range(colors: VideoFrame.Colors, grey: UInt8) throws {
            var frame = SolidFrame(y: 235)
            frame.colors = colors
            frame.show(on: window.sink)
            #expect(try snapshot().isNear(grey, grey, grey, x: 240, y: 180))
        }

        @Test("Local video has a border and is at the bottom right")
        func local() throws {
            SolidFrame.red.show(on: window.sink)
            SolidFrame.blue.sized(640, 480).show(on: window.sink, from: .local)
            let snapshot = try snapshot()
            let tile = CallLayout(width: 480, height: 360).local(width: 640, height: 480)
            #expect(snapshot.isNear(0, 0, 255, x: tile.x + tile.width / 2, y: tile.y + tile.height / 2))
            #expect(snapshot.isNear(0, 0, 255, x: tile.x, y: tile.y))
            #expect(!snapshot.isNear(0, 0, 255, x: tile.x - 1, y: tile.y + 10))
            #expect(snapshot.isNear(255, 0, 0, x: tile.x - 20, y: tile.y - 20))
        }

        @Test(
            "A level meter is filled from below up to the level, and cleared with the video",
            arguments: [(-30.0, 0.45, true), (-30, 0.55, false), (-127, 0.05, false), (0, 0.95, true)]
        )
        func meter(level: Double, height: Double, isFilled: Bool) throws {
            let empty = try snapshot()
            window.sink.show(audioLevel: level, of: .remote)
            let bar = CallLayout(width: 480, height: 360).meter(of: .remote, width: 0, height: 0)
            let place = (x: bar.x + bar.width / 2, y: bar.y + bar.height - Int(Double(bar.height) * height))
            let pixel = try snapshot()[place.x, place.y]
            #expect((Int(pixel.red) + Int(pixel.green) > 150) == isFilled)
            window.clear(.remote)
            #expect(try snapshot().rgb == empty.rgb)
        }

        @Test("A frame of another size replaces the previous frame")
        func sizeChange() throws {
            SolidFrame.red.sized(640, 360).show(on: window.sink)
            _ = try snapshot()
            SolidFrame.green.sized(90, 180).show(on: window.sink)
            let snapshot = try snapshot()
            #expect(snapshot.isNear(0, 255, 0, x: 240, y: 180))
            #expect(snapshot.isNear(0x0E, 0x10, 0x14, x: 20, y: 180))
        }

        @Test("After a resize, the last frame is scaled to the new window")
        func resize() throws {
            SolidFrame.red.sized(640, 480).show(on: window.sink)
            _ = try snapshot()
            SDL_SetWindowSize(SDL_GetWindowFromID(window.id), 800, 300)
            let snapshot = try snapshot()
            #expect((snapshot.width, snapshot.height) == (800, 300))
            #expect(snapshot.isNear(255, 0, 0, x: 400, y: 150))
            #expect(snapshot.isNear(255, 0, 0, x: 210, y: 5))
            #expect(snapshot.isNear(0x0E, 0x10, 0x14, x: 150, y: 150))
        }

        @Test("BT.709 is converted differently from BT.601")
        func matrix() throws {
            var frame = SolidFrame.green
            frame.show(on: window.sink)
            let low = try snapshot()[240, 180]
            frame.colors = .bt709
            frame.show(on: window.sink)
            let high = try snapshot()[240, 180]
            #expect(low != high)
        }

        @Test("Clearing the video shows the icon again")
        func clear() throws {
            let before = try snapshot()
            SolidFrame.red.show(on: window.sink)
            #expect(try snapshot() != before)
            window.clear(.remote)
            #expect(try snapshot() == before)
        }

        @Test("A snapshot is written as a BMP file")
        func bitmap() throws {
            let snapshot = try snapshot()
            #expect(snapshot.writeBMP(to: "/dev/null"))
            #expect(!snapshot.writeBMP(to: "/nowhere/window.bmp"))
        }
    }
}
