import Testing

@testable import WindowKit

@Suite("Rounded corners of pictures")
struct CornerTests {
    @Test("The covered part of a corner has the area of a quarter of a circle", arguments: [1, 2, 7, 20, 48])
    @WindowActor func area(radius: Int) {
        let covered = (0..<radius).reduce(0.0) { sum, row in
            let shares = Canvas.coverage(of: row, radius)
            return sum + shares.reduce(0, +) + Double(radius - shares.count)
        }
        let quarter = Double.pi * Double(radius * radius) / 4
        #expect(abs(covered - quarter) < 0.05 * quarter + 0.1, "\(covered) \(quarter)")
    }

    @Test("A row is covered more and more from its edge on")
    @WindowActor func rows() {
        for row in 0..<48 {
            let shares = Canvas.coverage(of: row, 48)
            #expect(shares == shares.sorted() && shares.allSatisfy { 0..<1 ~= $0 })
        }
    }
}
