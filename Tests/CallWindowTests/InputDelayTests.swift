import AppFlow
import CSDL
import CallCore
import Testing

@testable import CallWindow
@testable import WindowKit

@Suite("Measurement of the delay from input to screen")
struct InputWatchTests {
    @Test("Percentiles use the nearest rank, and are 0 without any input")
    func percentiles() {
        var delays = InputDelays()
        #expect(delays.percentile(95) == 0)
        for milliseconds in 1...20 { delays.add(milliseconds) }
        #expect(delays.count == 20)
        #expect([0, 50, 95, 100].map(delays.percentile) == [1, 10, 19, 20])
        for milliseconds in [-5, 1_000_000] { delays.add(milliseconds) }
        #expect([0, 100].map(delays.percentile) == [0, 2000])
    }

    @Test(
        "An input is measured once, on the screen that shows its effect, and not at all without an effect"
    )
    func watching() {
        var watch = InputWatch()
        for time in [100, 110] as [UInt32] { watch.happened(at: time) }
        watch.presented(on: "login", at: 130)
        watch.presented(on: "login", at: 150)
        watch.happened(at: 160)
        watch.nothingChanged(isMoving: false)
        watch.happened(at: UInt32.max - 4)
        watch.presented(on: "room", at: 5)
        #expect(watch.delays.mapValues(\.count) == ["login": 2, "room": 1])
        #expect(watch.delays["login"]?.percentile(100) == 30)
        #expect(watch.delays["room"]?.percentile(100) == 10)
    }

    @Test("An animation counts as the effect of an input only if it begins within two frames")
    func moving() {
        var watch = InputWatch()
        watch.happened(at: 100)
        watch.nothingChanged(isMoving: true)
        watch.presented(on: "room", at: 116)
        watch.happened(at: 200)
        for _ in 0..<3 { watch.nothingChanged(isMoving: true) }
        watch.presented(on: "room", at: 600)
        #expect(watch.delays["room"]?.count == 1 && watch.delays["room"]?.percentile(100) == 16)
    }

    @Test("The number of pending inputs is bounded")
    func crowd() {
        var watch = InputWatch()
        for time in 0..<10_000 as Range<UInt32> { watch.happened(at: time) }
        watch.presented(on: "room", at: 10_000)
        #expect(watch.delays["room"]?.count == 1024)
    }
}

extension CallWindowTests {
    @Suite("Input events from SDL")
    @WindowActor struct InputDelayTests {
        private func move(to x: Int32, _ y: Int32, in window: CallWindow) {
            var event = SDL_Event()
            event.motion.type = SDL_MOUSEMOTION.rawValue
            event.motion.windowID = window.id
            (event.motion.x, event.motion.y) = (x, y)
            #expect(SDL_PushEvent(&event) == 1)
        }

        @Test("Each key press is measured at the next redraw, and the delays remain after the window closes")
        func keys() async throws {
            let bench = try await ScreenBench()
            let window = bench.window
            press(SDLK_m, in: window)  // is not measured, because no screen is shown
            send(SDL_WINDOWEVENT_CLOSE, to: window)
            for await _ in window.closeRequests { break }
            for _ in 0..<10 { await Task.yield() }
            bench.show(.call(await bench.call()))
            for _ in 0..<3 {
                let before = window.redraws
                press(SDLK_m, in: window)
                while window.redraws == before { await Task.yield() }
            }
            window.close()
            #expect(window.inputDelays.mapValues(\.count) == ["call": 3])
        }

        @Test("Hundreds of pointer moves cause only a few frames, and the last position is used")
        func moves() async throws {
            let bench = try await ScreenBench()
            bench.show(.login(await bench.login()))
            let before = bench.window.screenHost.frames
            for step in 0..<200 as Range<Int32> { move(to: 100 + step, 40, in: bench.window) }
            press(SDLK_f, in: bench.window)
            for _ in 0..<10 { await Task.yield() }
            #expect(bench.window.screenHost.ui.pointer == Point(299, 40))
            #expect(bench.window.screenHost.frames - before < 20)
        }
    }
}
