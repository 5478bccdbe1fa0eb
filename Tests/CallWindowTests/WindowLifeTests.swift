import Basics
import CSDL
import Foundation
import Synchronization
import Testing

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The life cycle of a window")
    struct WindowLifeTests {
        @Test("The first remote frame on the screen is reported and counted")
        func firstFrame() async throws {
            let window = try await CallWindowTests.openWindow()
            #expect(window.framesShown(of: .remote) == 0)
            async let isShown = window.firstFrameShown()
            SolidFrame.blue.show(on: window.sink, from: .local)
            SolidFrame.red.show(on: window.sink)
            #expect(await isShown)
            #expect(await window.firstFrameShown())
            #expect(window.framesShown(of: .remote) == 1)
            await window.close()
        }

        @Test("Closing a window finishes `closeRequests` and `firstFrameShown()`, and may be repeated")
        func close() async throws {
            let window = try await CallWindowTests.openWindow()
            async let isShown = window.firstFrameShown()
            await window.close()
            await window.close()
            #expect(await !isShown)
            for await request in window.closeRequests { Issue.record("\(request) after closing") }
            SolidFrame.red.show(on: window.sink)
            await window.clear(.remote)
            #expect(await window.snapshot() == nil)
        }

        @Test("After the display has been lost, the window no longer uses SDL")
        @WindowActor func lost() async throws {
            let window = try CallWindowTests.openWindow()
            SolidFrame.red.show(on: window.sink)
            #expect(await window.firstFrameShown())
            window.displayLost()
            window.clear(.remote)
            #expect(window.scene.remote.size != nil)
            #expect(window.snapshot() == nil)
            for await request in window.closeRequests {
                #expect(request == .displayLost)
                break
            }
            window.window.isLost = false  // otherwise it would not be closed
            window.close()
        }

        @Test("A window is closed when it is deallocated")
        func drop() async throws {
            let requests = try await CallWindowTests.openWindow().closeRequests
            for await request in requests { Issue.record("\(request) of a window that is gone") }
        }

        @Test("Each of two windows receives its own frames and close requests")
        @WindowActor func two() async throws {
            let (first, second) = (try CallWindowTests.openWindow(), try CallWindowTests.openWindow())
            SolidFrame.red.show(on: first.sink)
            SolidFrame.blue.show(on: second.sink)
            send(SDL_WINDOWEVENT_CLOSE, to: second)
            for await request in second.closeRequests {
                #expect(request == .closeButton)
                break
            }
            first.close()
            #expect(try #require(second.snapshot()).isNear(0, 0, 255, x: 240, y: 180))
            second.close()
        }

        @Test("Without a display, opening a window fails and leaves SDL uninitialized")
        @WindowActor func noDisplay() {
            SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "nonesuch", SDL_HINT_OVERRIDE)
            let error = #expect(throws: WindowError.self) { _ = try CallWindow.open(title: "test") }
            #expect(error?.message.hasPrefix("there is no display") == true)
            #expect(SDL_WasInit(SDL_INIT_VIDEO) == 0)
            #expect(Display.obstacle() == error)
            #expect(SDL_WasInit(SDL_INIT_VIDEO) == 0)
        }

        @Test("The hint about a missing display names the requested video driver, or else DISPLAY")
        func hints() {
            #expect(WindowError.noDisplay("", driver: "nonesuch").hint.contains("“nonesuch”"))
            #expect(WindowError.noDisplay("").hint.contains("DISPLAY"))
        }

        @Test("Frames may arrive on other threads while windows open and close")
        func race() async throws {
            for _ in 0..<20 {
                let window = try await CallWindowTests.openWindow()
                await withTaskGroup { group in
                    for side in MediaSide.allCases {
                        group.addTask {
                            for width in 16..<80 {
                                SolidFrame.red.sized(width, 48).show(on: window.sink, from: side)
                            }
                        }
                    }
                    group.addTask { await window.close() }
                }
            }
        }

        /// The threads that push an event into SDL's queue.
        private final class Pushers: Sendable {
            let threads = Mutex<Set<UInt>>([])
        }

        /// Checks which threads push events, because SDL writes to the display on these threads.
        ///
        /// If the display has gone, Xlib ends the process or never releases the thread.
        @Test("A thread that delivers a frame or enqueues a job never writes to the display itself")
        func pushers() async throws {
            let pushers = Pushers()
            let watch: SDL_EventFilter = { pushers, event in
                guard let pushers, let event, event.pointee.type >= SDL_USEREVENT.rawValue else { return 1 }
                Unmanaged<Pushers>.fromOpaque(pushers).takeUnretainedValue()
                    .threads.withLock { _ = $0.insert(UInt(SDL_ThreadID())) }
                return 1
            }
            let window = try await CallWindowTests.openWindow()
            SDL_AddEventWatch(watch, Unmanaged.passUnretained(pushers).toOpaque())
            var posters: Set<UInt> = []
            for _ in 0..<20 {
                posters.insert(UInt(SDL_ThreadID()))
                SolidFrame.red.show(on: window.sink)
                #expect(await window.firstFrameShown())
            }
            SDL_DelEventWatch(watch, Unmanaged.passUnretained(pushers).toOpaque())
            await window.close()
            #expect(pushers.threads.withLock { $0 }.isDisjoint(with: posters))
        }

        @Test("A hundred windows leave no thread and no file descriptor behind")
        func leaks() async throws {
            func openAndClose() async throws {
                let window = try await CallWindowTests.openWindow()
                SolidFrame.red.sized(320, 180).show(on: window.sink)
                _ = await window.snapshot()
                await window.close()
            }
            for _ in 0..<5 { try await openAndClose() }
            let before = (try count("/proc/self/fd"), try count("/proc/self/task"))
            for _ in 0..<100 { try await openAndClose() }
            // Other tests run at the same time; a leak of each window would still show.
            #expect(try count("/proc/self/fd") - before.0 < 50)
            #expect(try count("/proc/self/task") - before.1 < 50)
        }

        private func count(_ directory: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: directory).count
        }
    }
}
