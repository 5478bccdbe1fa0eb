import Basics
import CSDL
import CallCore
import Foundation
import Testing

@testable import CallWindow
@testable import WindowKit

private let environment = ProcessInfo.processInfo.environment

extension CallWindowTests {
    /// The measurement of `bench/list`, on the display that `DISPLAY` names.
    @Suite("Benchmark of a list", .enabled(if: environment["CALLRUNNER_LIST_BENCH"] != nil))
    @WindowActor struct ListBenchTests {
        private static let count = 10_000
        private static let frames = 600

        @Test("A list of 10,000 rows of different heights is scrolled", arguments: [(480, 854), (1280, 720)])
        func scroll(width: Int, height: Int) async throws {
            SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "x11", SDL_HINT_OVERRIDE)
            SDL_SetHintWithPriority(SDL_HINT_RENDER_DRIVER, "software", SDL_HINT_OVERRIDE)
            let window = try CallWindow.open(
                title: "list",
                size: Resolution(width: width, height: height),
                surroundings: WindowSurroundings(stringsFolder: ScreenBench.strings)
            )
            defer { window.close() }
            let ui = window.screenHost.ui
            var times: [Double] = []
            let start = ContinuousClock.now
            for number in 0..<Self.frames {
                let began = ContinuousClock.now
                let now = Double(number) / 60
                let place = Point(Double(width) / 2, Double(height) / 2)
                // Fast enough that almost every frame shows rows which have never been laid out.
                let event: InputEvent = number == 0 ? .move(place) : .wheel(-2)
                ui.frame(pixels: window.canvas.size, scale: 1, event: event, now: now) {
                    ui.painter.fill(ui.area, ui.theme.ground)
                    ui.list("list", in: ui.area, count: Self.count, estimate: 80) { row in
                        Self.height(row, ui)
                    } row: { row, box in
                        Self.draw(row, ui, box)
                    }
                }
                ui.painter.context.render(on: window.canvas)
                window.window.present(nil)
                times.append((ContinuousClock.now - began) / .milliseconds(1))
            }
            var position = try #require(ui.lists["list"])
            times.sort()
            print(
                """
                \(width)×\(height): \(Self.frames) frames over \(Int(position.offset)) points, \
                median \(Self.text(times[times.count / 2])) ms, \
                p99 \(Self.text(times[times.count * 99 / 100])) ms, \
                longest \(Self.text(times[times.count - 1])) ms, \
                \(Int(Double(Self.frames) / ((ContinuousClock.now - start) / .seconds(1)))) frames/s
                """
            )
        }

        private static func text(_ milliseconds: Double) -> String {
            String((milliseconds * 100).rounded() / 100)
        }

        private static func message(_ row: Int) -> String {
            let words = [
                "Привіт", "hello", "שלום", "camera", "розмова", "🙂", "meeting at noon", "до зустрічі",
            ]
            return (0...(row * 7919 % 23)).map { words[(row + $0) % words.count] }.joined(separator: " ")
        }

        private static func height(_ row: Int, _ ui: Interface) -> Double {
            28 + ui.painter.height(of: message(row), .body, width: ui.area.width - 88) + 16
        }

        private static func draw(_ row: Int, _ ui: Interface, _ box: Box) {
            var rest = box.inset(x: Space.large, y: Space.small)
            ui.avatar(
                "Person \(row)",
                center: Point(rest.takeLeft(40, gap: Space.medium).x + 20, box.y + 30),
                diameter: 40
            )
            ui.painter.text("Person \(row)", in: rest.takeTop(24), .strong, ui.theme.text)
            ui.painter.paragraph(message(row), in: rest, .body, ui.theme.faint)
        }
    }
}
