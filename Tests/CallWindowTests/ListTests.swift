import CallCore
import Foundation
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Lists")
    @WindowActor struct ListTests {
        private final class Rows {
            var count = 10_000
            var measured: Set<Int> = []
            var drawn: [Int: Box] = [:]

            func height(_ row: Int) -> Double { Double(20 + row * 7919 % 61) }
        }

        private let bench: ScreenBench
        private let rows = Rows()
        private let box = Box(x: 0, y: 0, width: 300, height: 400)

        init() async throws { bench = try await ScreenBench() }

        private var ui: Interface { bench.window.screenHost.ui }

        private func frame(
            _ event: InputEvent? = nil,
            after passed: Double = 1.0 / 60,
            startsAtEnd: Bool = false
        ) {
            bench.now += passed
            rows.drawn = [:]
            ui.frame(pixels: (480, 640), scale: 1, event: event, now: bench.now) {
                ui.list("list", in: box, count: rows.count, estimate: 50, startsAtEnd: startsAtEnd) { row in
                    rows.measured.insert(row)
                    return rows.height(row)
                } row: { row, place in
                    rows.drawn[row] = place
                }
            }
        }

        /// Checks that the drawn rows follow each other and cover the list.
        private func isCovered() -> Bool {
            let drawn = rows.drawn.sorted { $0.key < $1.key }
            guard let first = drawn.first, let last = drawn.last else { return false }
            let follows = zip(drawn, drawn.dropFirst()).allSatisfy { one, next in
                next.key == one.key + 1 && abs(next.value.y - one.value.bottom) < 0.001
            }
            let fits = drawn.allSatisfy { $0.value.height == rows.height($0.key) }
            return follows && fits && first.value.y <= 0.001 && last.value.bottom >= box.height - 0.001
        }

        @Test("Only the visible rows are measured and drawn")
        func visible() {
            frame()
            #expect(rows.measured.count < 20 && rows.drawn.keys.sorted().first == 0)
            #expect(isCovered())
        }

        @Test("The wheel scrolls at a decreasing speed, and a list at rest needs no further frame")
        func wheel() throws {
            frame(.move(Point(100, 100)))
            frame(.wheel(-3))
            var places: [Double] = []
            for _ in 0..<200 {
                frame()
                #expect(isCovered())
                var position = try #require(ui.lists["list"])
                places.append(position.offset)
            }
            #expect(places[0] > 0 && places[20] - places[19] < places[1] - places[0])
            #expect(places[199] == places[198] && places[199] > 150)
            #expect(!ui.motion.isMoving)
        }

        @Test("Measuring rows above the visible ones does not move the visible ones")
        func stable() throws {
            frame(.move(Point(100, 100)))
            ui.lists["list"]?.jump(to: 5000)
            frame()
            for _ in 0..<100 {
                let before = rows.drawn
                ui.lists["list"]?.move(by: -13)
                frame()
                for (row, place) in rows.drawn {
                    if let old = before[row] { #expect(abs(place.y - old.y - 13) < 0.001) }
                }
                #expect(isCovered())
            }
        }

        @Test("The end stays in view when rows are added, but not after the user has scrolled up")
        func end() {
            frame(startsAtEnd: true)
            #expect(rows.drawn[9999]?.bottom == box.height)
            rows.count += 3
            frame(startsAtEnd: true)
            #expect(rows.drawn[10_002]?.bottom == box.height)
            ui.lists["list"]?.move(by: -100)
            frame(startsAtEnd: true)
            rows.count += 1
            frame(startsAtEnd: true)
            #expect(rows.drawn[10_003] == nil && isCovered())
        }

        @Test("In a list with the keyboard focus, keys scroll to the ends, by pages and by lines")
        func keys() {
            frame()
            frame(.key(.tab(isBackwards: false)))
            frame(.key(.edit(.end, ctrl: false, shift: false)))
            #expect(rows.drawn[9999]?.bottom == box.height && isCovered())
            frame(.key(.pageUp))
            #expect(rows.drawn[9999] == nil && isCovered())
            frame(.key(.edit(.home, ctrl: false, shift: false)))
            #expect(rows.drawn[0]?.y == 0)
            frame(.key(.down))
            #expect(rows.drawn[0].map { $0.y < 0 } ?? true)
        }

        @Test("A list receives the keyboard focus only if it can be scrolled", arguments: [3, 10_000])
        func stop(count: Int) {
            rows.count = count
            frame()
            frame()
            #expect(ui.focus.order == (count == 3 ? [] : ["list"]))
        }

        @Test("Dragging the scroll bar scrolls to the end and back")
        func bar() {
            frame()
            frame(.press(Point(296, 4)))
            frame(.move(Point(296, 500)))
            #expect(rows.drawn[9999] != nil && isCovered())
            frame(.move(Point(296, -50)))
            #expect(rows.drawn[0]?.y == 0)
            frame(.release(Point(296, -50)))
        }

        @Test("After any movements and changes of the number of rows, the visible rows cover the list")
        func random() {
            var random = SeededRandom(seed: 7)
            frame()
            for _ in 0..<3000 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: ui.lists["list"]?.push(lines: Double.random(in: -9...9, using: &random))
                case 1: ui.lists["list"]?.move(by: Double.random(in: -900...900, using: &random))
                case 2: ui.lists["list"]?.jump(to: Int.random(in: -5..<rows.count + 5, using: &random))
                case 3:
                    ui.lists["list"]?.jump(
                        toShare: Double.random(in: -1...2, using: &random),
                        view: box.height
                    )
                case 4: rows.count = Int.random(in: 40..<12_000, using: &random)
                default: break
                }
                frame(after: Double.random(in: 0...0.2, using: &random))
                #expect(isCovered())
            }
        }

        @Test("A list shorter than its box is drawn from the top, and an empty list draws no rows")
        func short() {
            rows.count = 2
            frame()
            #expect(rows.drawn[0]?.y == 0 && rows.drawn.count == 2)
            rows.count = 0
            frame()
            #expect(rows.drawn.isEmpty)
        }
    }

    private struct SeededRandom: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
