import Basics
import Testing

@testable import CallWindow
@testable import WindowKit

@Suite("Layout of the call screen")
struct CallLayoutTests {
    @Test(
        "Remote video keeps its aspect ratio and is centered in the window",
        arguments: [
            (1280, 720, Rect(x: 0, y: 0, width: 960, height: 540)),
            (640, 480, Rect(x: 120, y: 0, width: 720, height: 540)),
            (720, 1280, Rect(x: 328, y: 0, width: 304, height: 540)),
            (1920, 540, Rect(x: 0, y: 135, width: 960, height: 270)),
        ]
    )
    func fitting(width: Int, height: Int, expected: Rect) {
        #expect(CallLayout(width: 960, height: 540).remote(width: width, height: height) == expected)
    }

    @Test(
        "Remote video and meters fit any window; local video has at most a quarter of its width and height",
        arguments: [(1, 1), (16, 16), (160, 90), (90, 1600), (8192, 4320)],
        [1.0, 2.0, 100.0]
    )
    func inside(size: (Int, Int), scale: Double) {
        let layout = CallLayout(width: size.0, height: size.1, scale: scale)
        for (width, height) in [(1, 8192), (8192, 1), (640, 480)] {
            #expect(layout.area.contains(layout.remote(width: width, height: height)))
            let local = layout.local(width: width, height: height)
            #expect(local.width >= 1 && local.height >= 1)
            for side in MediaSide.allCases {
                #expect(layout.area.contains(layout.meter(of: side, width: width, height: height)))
            }
            #expect(local.width <= max(1, size.0 / 4) && local.height <= max(1, size.1 / 4))
        }
    }

    @Test("The local video is at the bottom right, and its level meter is left of it")
    func corners() {
        let layout = CallLayout(width: 960, height: 540)
        let local = layout.local(width: 1280, height: 720)
        #expect(local == Rect(x: 704, y: 389, width: 240, height: 135))
        let meter = layout.meter(of: .local, width: 1280, height: 720)
        #expect(meter.x + meter.width < local.x && meter.height == local.height)
    }

    @Test("The local video's tile snaps to the nearest corner", arguments: TileCorner.allCases)
    func snaps(corner: TileCorner) {
        let area = Box(width: 900, height: 500)
        let place = corner.place(200, 100, in: area)
        #expect(area.contains(place))
        #expect(TileCorner(nearest: place.center, in: area) == corner)
        #expect(corner.next != corner && corner.next.next.next.next == corner)
    }
}

extension Rect {
    fileprivate func contains(_ other: Rect) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width
            && other.y + other.height <= y + height
    }
}
