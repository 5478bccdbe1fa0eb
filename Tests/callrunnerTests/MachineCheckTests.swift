import CallMedia
import CallWindow
import Testing
import WindowKit

@testable import callrunner

@Suite("Checks of the host by the doctor command")
struct MachineCheckTests {
    @Test("The verdict on the display is good if SDL opens it, and limited if SDL fails or hangs")
    func display() async {
        let environment = ["DISPLAY": ":999"]
        let good = await MachineCheck.display(environment) { nil }
        #expect(good.verdict == .good && good.fix == nil)
        let refused = await MachineCheck.display(environment) { .noDisplay("x11 not available") }
        #expect(refused.verdict == .limited && refused.finding.contains("x11 not available"))
        #expect(refused.fix?.contains("DISPLAY") == true)
        let (never, asked) = AsyncStream.makeStream(of: Void.self)
        let silent = await MachineCheck.display(environment, limit: .zero) {
            for await _ in never {}
            return nil
        }
        #expect(silent.verdict == .limited && silent.finding.contains("does not respond"))
        asked.finish()
        #expect(await MachineCheck.display([:]) { nil }.finding == "none")
    }

    @Test("The configuration check fails for an invalid file, and lists all of its errors")
    func configuration() {
        let good = SettingsFile(json: #"{"name": "Ann"}"#, path: "/config.json")
        #expect(MachineCheck.configuration(good, good.problems).verdict == .good)
        let bad = SettingsFile(json: #"{"rooom": 1, "naem": 2}"#, path: "/config.json")
        let check = MachineCheck.configuration(bad, bad.problems)
        #expect(check.verdict == .failed && check.fix != nil)
        #expect(check.finding.contains("rooom") && check.finding.contains("naem"))
    }

    @Test("The font check passes for Roboto, and otherwise names the package to install")
    func fonts() {
        let good = MachineCheck.fonts(found: WindowFonts.preferred)
        #expect(good.verdict == .good && good.fix == nil)
        for family in ["DejaVu Sans", nil] {
            let check = MachineCheck.fonts(found: family)
            #expect(check.verdict == .limited && check.fix?.contains("fonts-roboto") == true)
            #expect(!check.finding.isEmpty)
        }
    }
}
