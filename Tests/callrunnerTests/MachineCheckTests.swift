import CallMedia
import CallWindow
import Testing

@testable import callrunner

@Suite("What the doctor says of the machine")
struct MachineCheckTests {
    @Test("Roboto is as it should be; another font, or none, is noted with the package that brings it")
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
