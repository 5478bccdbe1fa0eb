import Basics
import CSDL
import CallCore
import Foundation
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The room screen")
    @WindowActor struct RoomScreenTests {
        private let bench: ScreenBench

        init() async throws {
            bench = try await ScreenBench()
        }

        private var order: [ControlID] { bench.window.screenHost.ui.focus.order }

        @Test("While disconnected, the user can click the role, connect and logout controls")
        func disconnected() async throws {
            let room = try await bench.room()
            bench.show(.room(room))
            #expect(
                order == ["room.logout", "room.role", "room.microphone", "room.camera", "room.connect"]
            )
            bench.click("room.role")
            bench.click("room.connect")
            bench.click("room.logout")
            bench.settle()
            #expect(bench.commands == [.setRole(.callee), .connect])
            bench.click("room.logout.cancel")
            bench.settle()
            bench.click("room.logout")
            bench.settle()
            bench.click("room.logout.confirm")
            #expect(bench.commands == [.setRole(.callee), .connect, .logout])
        }

        @Test("While disconnected, Tab moves between the controls, and Space and Return activate them")
        func keyboard() async throws {
            let room = try await bench.room()
            bench.show(.room(room))
            bench.press(.tab(isBackwards: false))
            bench.press(.space)  // asks whether to log out
            bench.settle()
            bench.press(.escape)
            bench.settle()
            bench.press(.tab(isBackwards: false))
            for key in [InputKey.enter, .space, .enter, .space] {
                bench.press(.tab(isBackwards: false))
                bench.press(key)
            }
            #expect(
                bench.commands == [.setRole(.callee), .setMuted(true), .setCameraOff(true), .connect]
            )
            #expect(bench.window.screenHost.ui.focus.isVisible)
        }

        @Test("While disconnected, Return connects if no button has the keyboard focus")
        func returnConnects() async throws {
            let room = try await bench.room()
            bench.show(.room(room))
            bench.press(.enter)
            #expect(bench.commands == [.connect])
            room.store.update { $0.connection = .connected }
            bench.settle()
            bench.press(.enter)
            #expect(bench.commands == [.connect])
        }

        @Test(
            "A long notice is completely visible in a narrow window with large text, and the wheel scrolls the page"
        )
        func notice() async throws {
            for language in AppSettings.Language.allCases {
                let bench = try await ScreenBench(width: 480, height: 854, language: language, hasBar: true)
                bench.settings.send(.setTextScale(2))
                let room = try await bench.room()
                room.store.update { ($0.connection, $0.isLocal) = (.connected, true) }
                bench.show(.room(room))
                let ui = bench.window.screenHost.ui
                let text = ui.strings["room.local"]
                let height = ui.bannerHeight(text, width: ui.columnWidth(460), hasAction: false)
                let inside = ui.columnWidth(460) - 2 * Space.medium - 20 - Space.small
                let whole = ui.painter.height(of: text, .caption, width: inside, limit: 40)
                #expect(height == whole + 2 * Space.medium, "\(language)")
                let button = try #require(ui.places["room.logout"])
                let point = Point(ui.pageArea.width / 2, ui.pageArea.height - 40)
                bench.handle(.move(point))
                bench.handle(.wheel(-1))
                bench.settle()
                #expect(try #require(ui.places["room.logout"]).y < button.y, "\(language)")
            }
        }

        @Test("The logout button has no title if a long room number needs the space")
        func longRoom() async throws {
            let bench = try await ScreenBench(width: 375, height: 800)
            for (number, hasTitle) in [("42", true), ("9007199254740991", false)] {
                let identity = Identity(username: try Username("Ann"), room: try RoomID(number))
                bench.show(.room(try await bench.room { $0.identity = identity }))
                let button = try #require(bench.window.screenHost.ui.places["room.logout"])
                #expect(hasTitle == (button.width > 40))
            }
        }

        @Test("A text field of the previous screen does not keep the keyboard focus")
        func afterLogin() async throws {
            let login = await bench.login()
            bench.show(.login(login))
            bench.click("login.room")
            bench.type("7")
            let room = try await bench.room()
            bench.show(.room(room))
            for _ in 0..<5 { bench.press(.tab(isBackwards: false)) }
            bench.press(.space)
            #expect(bench.commands == [.connect])
        }

        @Test("While connected, the role is fixed, and only a peer who is present can be called")
        func connected() async throws {
            let room = try await bench.room { $0.connection = .connected }
            bench.show(.room(room))
            #expect(order == ["room.logout", "room.microphone", "room.camera", "room.connect"])
            bench.click("room.start", at: Point(240, 490))
            room.store.update { state in
                state.peer = Participant(username: "Bob", role: .callee)
                state.start = .call
            }
            bench.settle()
            bench.click("room.start")
            bench.click("room.connect")
            #expect(bench.commands == [.call(.startCall), .disconnect])
        }

        @Test("A notice says that other computers cannot reach the server, until a peer is present")
        func local() async throws {
            let room = try await bench.room { state in
                state.connection = .connected
                state.isLocal = true
            }
            bench.show(.room(room))
            let screen = try #require(bench.window.screenHost.shownView as? RoomScreen)
            let ui = bench.window.screenHost.ui
            #expect(screen.notice(ui, room.store.state)?.text == ui.strings["room.local"])
            room.store.update { $0.peer = Participant(username: "Bob", role: .callee) }
            #expect(screen.notice(ui, room.store.state) == nil)
        }

        @Test("Messages name the unreachable server or the missing device")
        func reasons() {
            let strings = bench.window.screenHost.ui.strings
            let server = SignalingFailure.unreachable(url: "http://10.0.0.1:3000", detail: "no route")
            let reported = strings.sentence(of: Diagnosis(server))
            #expect(reported == "The server http://10.0.0.1:3000 cannot be reached: no route")
            let media = CallMediaFailure.local(.source(message: "there is no microphone “nix”", hint: ""))
            #expect(strings.sentence(of: Diagnosis(media)).contains("no microphone “nix”"))
        }

        @Test("The button of the notice connects again after a lost connection")
        func loss() async throws {
            let room = try await bench.room { state in
                state.connection = .disconnected(
                    RoomLoss(reason: .disconnected("transport close"), retryIn: 3)
                )
            }
            bench.show(.room(room))
            bench.click("room.notice")
            #expect(bench.commands == [.connect])
        }

        @Test("The reason for a connection loss is still shown while reconnecting, and no control moves")
        func retrying() async throws {
            let loss = RoomLoss(reason: .disconnected("transport close"), retryIn: 1)
            let room = try await bench.room { $0.connection = .disconnected(loss) }
            bench.show(.room(room))
            bench.settle()
            let screen = try #require(bench.window.screenHost.shownView as? RoomScreen)
            let ui = bench.window.screenHost.ui
            let before = ui.places["room.connect"]
            room.store.update { state in
                state.connection = .connecting
                state.earlierLoss = loss
            }
            bench.settle()
            let text = screen.notice(ui, room.store.state)?.text
            #expect(text == ui.strings.sentence(of: loss) + ". Connecting …")
            #expect(before != nil && ui.places["room.connect"] == before)
            bench.click("room.connect")
            #expect(bench.commands == [.disconnect])
        }

        @Test("If the role is taken, one click switches to the other role", arguments: [true, false])
        func takenRole(isRefused: Bool) async throws {
            let room = try await bench.room { state in
                if isRefused {
                    let loss = RoomLoss(reason: .failed(Diagnosis(SignalingFailure.roleTaken)))
                    state.connection = .disconnected(loss)
                } else {
                    state.connection = .connected
                    state.rival = Participant(username: "Eve", role: .caller)
                }
            }
            bench.show(.room(room))
            bench.click("room.notice")
            #expect(bench.commands == [.switchRole])
        }

        @Test(
            "A notice does not move any control, in windows of any size",
            arguments: [(480, 854), (960, 540), (360, 420)]
        )
        func banner(width: Int, height: Int) async throws {
            let bench = try await ScreenBench(width: width, height: height)
            let room = try await bench.room()
            bench.show(.room(room))
            let ui = bench.window.screenHost.ui
            let before = ui.places
            room.store.update { $0.returnReason = .callMissed("Bob") }
            bench.settle()
            #expect(ui.places == before && !before.isEmpty)
            let login = await bench.login()
            bench.show(.login(login))
            let fields = ui.places
            login.store.update { $0.deletionFailure = StoreFailure(message: "no", hint: "") }
            bench.settle()
            #expect(ui.places == fields)
        }

        @Test("No peer is shown as present while the connection is lost")
        func unknown() async throws {
            let room = try await bench.room { state in
                (state.isManaged, state.connection) = (false, .connecting)
                state.peer = Participant(username: "Bob", role: .callee)
            }
            let line = PeerLine(room.store.state)
            #expect(line == .unknown(name: "Bob") && !line.isThere)
            room.store.update { $0.connection = .connected }
            #expect(PeerLine(room.store.state).isThere)
        }

        @Test(
            "At a text size of 200 %, the connection state fits into a phone-sized window",
            arguments: AppSettings.Language.allCases
        )
        func tight(language: AppSettings.Language) async throws {
            let bench = try await ScreenBench(width: 480, height: 854, language: language)
            bench.settings.send(.setTextScale(2))
            bench.show(.room(try await bench.room()))
            let ui = bench.window.screenHost.ui
            let button = try #require(ui.places["room.connect"])
            let toggle = try #require(ui.places["room.role"])
            let words = ui.painter.width(of: ui.strings["room.state.disconnected"], .body)
            #expect(button.x - toggle.x - 18 >= words || button.y - toggle.bottom >= 30)
        }

        @Test(
            "At a text size of 200 %, the note on the role is wrapped and stays in its row",
            arguments: AppSettings.Language.allCases
        )
        func wrapped(language: AppSettings.Language) async throws {
            let bench = try await ScreenBench(width: 480, height: 854, language: language)
            bench.settings.send(.setTextScale(2))
            bench.show(.room(try await bench.room()))
            let ui = bench.window.screenHost.ui
            let row = try #require(ui.places["room.role"])
            for note in ["on", "off"] {
                let text = ui.strings["room.role.switch.\(note)"]
                let height = ui.painter.height(of: text, .caption, width: row.width - 62)
                #expect(row.height >= 22 + height, "\(text)")
            }
        }

        @Test("An incoming call can be answered or declined, and blocks all other controls")
        func ring() async throws {
            let room = try await bench.room { state in
                state.connection = .connected
                state.ring = RoomState.Ring(peer: "Bob")
            }
            bench.show(.room(room))
            bench.settle()
            #expect(order == ["ring.decline", "ring.accept", "ring.microphone", "ring.camera"])
            bench.click("ring.accept")
            bench.click("ring.decline")
            #expect(bench.commands == [.call(.accept), .call(.decline)])
        }

        @Test(
            "A click or a key that comes just after a call has begun to ring does not answer it",
            arguments: [false, true]
        )
        func haste(isReduced: Bool) async throws {
            let room = try await bench.room { $0.connection = .connected }
            bench.show(.room(room))
            bench.settle()
            bench.window.reducesMotion = isReduced
            room.store.update { $0.ring = RoomState.Ring(peer: "Bob") }
            func wait(_ time: Double) {
                bench.now += time
                bench.window.screenHost.touch()
                bench.window.redrawIfNeeded()
            }
            for time in [0, 0.3, 0.3] {
                wait(time)
                bench.click("ring.accept")
                bench.press(.enter)
            }
            #expect(bench.commands.isEmpty)
            wait(0.2)
            bench.click("ring.accept")
            #expect(bench.commands == [.call(.accept)])
        }

        @Test("The microphone and the camera can be turned on and off in the room and while a call rings")
        func media() async throws {
            let room = try await bench.room { state in
                state.connection = .connected
                state.ring = RoomState.Ring(peer: "Bob")
            }
            bench.show(.room(room))
            bench.settle()
            bench.click("ring.microphone")
            bench.click("ring.camera")
            room.store.update { $0.ring = nil }
            bench.settle()
            let strings = bench.window.screenHost.ui.strings
            let text = MediaSwitches(controls: room.store.state.controls).text(strings)
            #expect(text == "Microphone and camera are off")
            bench.click("room.microphone")
            bench.click("room.camera")
            #expect(
                bench.commands == [
                    .setMuted(true), .setCameraOff(true), .setMuted(false), .setCameraOff(false),
                ]
            )
            #expect(room.store.state.controls == CallControls())
        }

        @Test("A notice about a lost connection also mentions a missed call")
        func missed() async throws {
            let loss = RoomLoss(reason: .disconnected("transport close"), retryIn: 3)
            let room = try await bench.room { state in
                state.connection = .disconnected(loss)
                state.returnReason = .callMissed("Bob")
            }
            bench.show(.room(room))
            let screen = try #require(bench.window.screenHost.shownView as? RoomScreen)
            let ui = bench.window.screenHost.ui
            let (lost, missed) = ("The connection to the server was lost", ". Missed call: Bob")
            let again = ui.strings("room.retry.in", ["seconds": "3"])
            #expect(screen.notice(ui, room.store.state)?.text == lost + ". " + again + missed)
            room.store.update { state in
                state.connection = .connecting
                state.earlierLoss = loss
            }
            #expect(screen.notice(ui, room.store.state)?.text == lost + ". Connecting … Missed call: Bob")
        }

        @Test("In the room of a command-line client there are two buttons, and q ends the program")
        func commandLine() async throws {
            let room = try await bench.room { state in
                state.isManaged = false
                state.connection = .connected
            }
            bench.show(.room(room))
            #expect(order == ["room.microphone", "room.camera"])
            press(SDLK_q, in: bench.window)
            #expect(await bench.next(1) == [.quit])
        }

        @Test("In the app's room, the key q does nothing")
        func letters() async throws {
            let room = try await bench.room()
            bench.show(.room(room))
            press(SDLK_q, in: bench.window)
            send(SDL_WINDOWEVENT_CLOSE, to: bench.window)
            for await request in bench.window.closeRequests {
                #expect(request == .closeButton)
                break
            }
            #expect(bench.commands.isEmpty)
        }

        @Test(
            "All controls can be reached in windows of any size, at any text size",
            arguments: [(360, 420), (480, 640), (960, 540), (3840, 2160)],
            [0.75, 1, 2]
        )
        func layout(size: (Int, Int), zoom: Double) async throws {
            let bench = try await ScreenBench(width: size.0, height: size.1)
            bench.settings.send(.setTextScale(zoom))
            let peer = Participant(username: String(repeating: "W", count: 64), role: .callee)
            let room = try await bench.room(String(repeating: "Ж", count: 64)) { state in
                state.connection = .connected
                state.peer = peer
                state.start = .call
                state.returnReason = .peerLeft(peer)
            }
            bench.show(.room(room))
            let ui = bench.window.screenHost.ui
            for (id, place) in ui.places {
                #expect(place.x >= 0 && place.right <= ui.area.width, "\(id.name)")
            }
            // Controls below the window's edge scroll into view with the focus.
            for _ in ui.focus.order {
                bench.press(.tab(isBackwards: false))
                bench.settle()
                let focused = try #require(ui.focus.focused)
                let place = try #require(ui.places[focused])
                #expect(ui.area.contains(place), "\(focused.name)")
            }
        }

        @Test(
            "An incoming call can be answered in windows of any size, at any text size",
            arguments: [
                (960, 540, 2.0), (360, 420, 2), (480, 640, 1), (480, 260, 1), (320, 180, 1), (3840, 2160, 2),
            ]
        )
        func ringing(width: Int, height: Int, zoom: Double) async throws {
            let bench = try await ScreenBench(width: width, height: height)
            bench.settings.send(.setTextScale(zoom))
            let room = try await bench.room { state in
                state.connection = .connected
                state.ring = RoomState.Ring(peer: String(repeating: "W", count: 64))
            }
            bench.show(.room(room))
            let ui = bench.window.screenHost.ui
            for name in ["ring.accept", "ring.decline"] {
                let place = try #require(ui.places[ControlID(name)])
                #expect(ui.area.contains(place), "\(name)")
                #expect(place.bottom + 26 <= ui.area.height, "there is no room for what \(name) says")
            }
        }
    }
}
