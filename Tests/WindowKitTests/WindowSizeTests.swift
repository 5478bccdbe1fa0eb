import Basics
import Testing

@testable import WindowKit

@Suite("Window size")
struct WindowSizeTests {
    @Test(
        "A window takes three quarters of the screen, with a minimum and a maximum size",
        arguments: [
            ((1280, 720), 1.0, (960, 540)), ((1366, 768), 1, (1024, 576)), ((1920, 1080), 1, (1280, 720)),
            ((480, 640), 1, (480, 480)), ((320, 200), 1, (320, 200)), ((3840, 2160), 1, (1280, 720)),
            ((3840, 2160), 2, (2560, 1440)), ((3840, 2160), 3, (2880, 1620)),
        ]
    )
    func usual(room: (Int, Int), scale: Double, size: (Int, Int)) {
        let usual = WindowSize.usual(in: Resolution(width: room.0, height: room.1), scale: scale)
        #expect(usual == Resolution(width: size.0, height: size.1))
    }

    @Test(
        "A window in the shape of a phone is 480 × 854 points, or fits into the screen",
        arguments: [
            ((1920, 1080), 1.0, (480, 854)), ((1280, 720), 1, (480, 648)), ((3840, 2160), 2, (960, 1708)),
            ((320, 200), 1, (320, 180)),
        ]
    )
    func portrait(room: (Int, Int), scale: Double, size: (Int, Int)) {
        let portrait = WindowSize.portrait(in: Resolution(width: room.0, height: room.1), scale: scale)
        #expect(portrait == Resolution(width: size.0, height: size.1))
    }

    @Test(
        "A small window is 400 points wide, or half as wide as a narrow screen",
        arguments: [
            ((1280, 720), 1.0, (400, 225)), ((640, 480), 1, (320, 180)), ((3840, 2160), 2, (800, 450)),
        ]
    )
    func small(room: (Int, Int), scale: Double, size: (Int, Int)) {
        let small = WindowStyle.small.size(in: Resolution(width: room.0, height: room.1), scale: scale)
        #expect(small == Resolution(width: size.0, height: size.1))
    }
}
