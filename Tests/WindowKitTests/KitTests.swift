import Testing

@testable import WindowKit

@Suite("Building blocks of the user interface")
struct KitTests {
    @Test("Tab cycles through the controls in both directions, and only Tab makes the focus visible")
    func focusOrder() {
        var ring = FocusRing()
        func frame(_ ids: ControlID...) {
            ring.beginFrame()
            for id in ids { ring.register(id) }
            ring.endFrame()
        }
        frame("a", "b", "c")
        #expect(ring.focused == nil && !ring.isVisible)
        var met: [ControlID?] = []
        for _ in 0..<4 {
            ring.move(backwards: false)
            met.append(ring.focused)
        }
        #expect(met == ["a", "b", "c", "a"] && ring.isVisible)
        ring.move(backwards: true)
        #expect(ring.focused == "c")
        frame("a", "b")
        #expect(ring.focused == nil, "a control that has gone keeps the keyboard")
        ring.focus("b")
        #expect(!ring.shows("b"), "a click shows the focus")
    }

    @Test("Tab does nothing if there is no control to focus")
    func empty() {
        var ring = FocusRing()
        ring.move(backwards: false)
        #expect(ring.focused == nil)
    }

    @Test("An animated value approaches its target monotonically, and remains there after its duration")
    func motion() {
        var motion = Motion()
        motion.beginFrame(at: 10)
        #expect(motion.value("a", "x", towards: 0) == 0)
        #expect(!motion.isMoving)
        var last = 0.0
        for step in 0..<20 {
            motion.beginFrame(at: 10 + Double(step) * 0.01)
            let value = motion.value("a", "x", towards: 1)
            #expect(value >= last && value <= 1 && motion.isMoving)
            last = value
        }
        motion.beginFrame(at: 10.2)
        #expect(motion.value("a", "x", towards: 1) == 1 && !motion.isMoving)
    }

    @Test("An animated value whose target changes midway continues from its current value")
    func turning() {
        var motion = Motion()
        motion.beginFrame(at: 0)
        _ = motion.value("a", "x", towards: 0)
        motion.beginFrame(at: 1)
        _ = motion.value("a", "x", towards: 1)
        motion.beginFrame(at: 1.1)
        let middle = motion.value("a", "x", towards: 1)
        motion.beginFrame(at: 1.1)
        #expect(motion.value("a", "x", towards: 0) == middle && middle > 0.5 && middle < 1)
    }

    @Test("With reduced motion, a value is at its target at once")
    func reducedMotion() {
        var motion = Motion()
        motion.isReduced = true
        motion.beginFrame(at: 0)
        #expect(motion.value("a", "x", towards: 1, from: 0) == 1)
        motion.beginFrame(at: 0.01)
        #expect(motion.value("a", "x", towards: 5) == 5 && !motion.isMoving)
    }

    @Test("An animated value is reset if a frame does not use it")
    func forgetting() {
        var motion = Motion()
        motion.beginFrame(at: 0)
        _ = motion.value("a", "x", towards: 1, from: 0)
        motion.beginFrame(at: 1)
        motion.beginFrame(at: 2)
        #expect(motion.value("a", "x", towards: 1, from: 0) == 0)
    }

    @Test("A strip that is taken from an edge of a box is subtracted from the box")
    func strips() {
        var rest = Box(x: 10, y: 10, width: 100, height: 50)
        #expect(rest.takeLeft(20, gap: 5) == Box(x: 10, y: 10, width: 20, height: 50))
        #expect(rest.takeRight(30, gap: 5) == Box(x: 80, y: 10, width: 30, height: 50))
        #expect(rest == Box(x: 35, y: 10, width: 40, height: 50))
        #expect(rest.takeTop(60).height == 60 && rest.height == 0)
        let cells = Box(width: 100, height: 10).columns(3, gap: 5)
        #expect(cells.count == 3 && cells[2].right == 100)
    }

    @Test("Disc and glow sprites are opaque in the middle, ring sprites are hollow, and corners are empty")
    func sprites() {
        let disc = Sprite.disc(diameter: 20).coverage()
        #expect(
            disc.count == 400 && disc[210] == 255 && disc[0] == 0 && disc.contains { (1..<255).contains($0) }
        )
        let ring = Sprite.ring(diameter: 20, thickness: 2).coverage()
        #expect(ring[210] == 0 && ring[10] > 240 && ring[0] == 0)
        let glow = Sprite.glow(diameter: 20, blur: 6)
        #expect(glow.side == 32 && glow.coverage()[16 * 32 + 16] == 255 && glow.coverage()[0] == 0)
    }
}
