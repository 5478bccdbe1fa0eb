/// The limits for H.264 NAL units beyond which h264parse (1.22) crashes or allocates unlimited memory.
struct H264UnitLimit: Sendable {
    /// The decision on a unit according to its first byte.
    enum Outlook: Hashable {
        case passes, isRemoved
        /// The decision depends on the content of the unit; a unit with more bytes than `longest` is removed.
        case dependsOnContent(longest: Int)
    }

    /// The unit types of scalable and multiview coding (ITU-T H.264, annexes F and G), which are not needed here.
    ///
    /// An invalid subset sequence parameter set would end the process.
    private static let extensions: Set<UInt8> = [13, 14, 15, 20, 21]
    private static let (messages, parameters): (UInt8, ClosedRange<UInt8>) = (6, 7...8)
    /// The unit types that end a sequence or a stream, and their maximum length with a zero of the next start code.
    ///
    /// h264parse expects a start code after the first byte, and fails if there is none.
    private static let (ends, longestEnd): (ClosedRange<UInt8>, Int) = (10...11, 2)
    /// The maximum length of a parameter set in bytes, and the maximum number of parameter sets with different IDs.
    ///
    /// h264parse stores and repeats all of them.
    private static let (longestParameters, mostParameters) = (1024, 32)
    /// The maximum length of an SEI unit in bytes, and of all SEI units in an access unit.
    ///
    /// Each SEI message takes 500 bytes of memory.
    private static let (longestMessages, allMessages) = (4096, 65_536)

    /// The maximum number of units in an access unit.
    ///
    /// If h264parse cannot read a unit, it parses the access unit from its start again, once for each preceding unit.
    private static let mostUnits = 2000

    private var known: Set<Int> = []
    private var (messages, units) = (0, 0)

    /// Begins an access unit, which resets the counts of units.
    mutating func beginAccessUnit() { (messages, units) = (0, 0) }

    /// Counts a unit; false if the access unit has too many.
    mutating func count() -> Bool {
        units += 1
        return units <= Self.mostUnits
    }

    /// Returns the decision on a unit with this first byte.
    static func outlook(_ header: UInt8) -> Outlook {
        switch header & 0x1F {
        case messages: .dependsOnContent(longest: longestMessages)
        case let type where parameters.contains(type): .dependsOnContent(longest: longestParameters)
        case let type where ends.contains(type): .dependsOnContent(longest: longestEnd)
        case let type: extensions.contains(type) ? .isRemoved : .passes
        }
    }

    /// Decides whether a whole unit, without its start code or length, may pass.
    mutating func admits(_ unit: UnsafeRawBufferPointer) -> Bool {
        guard let header = unit.first, count() else { return false }
        switch Self.outlook(header) {
        case .passes: return true
        case .isRemoved: return false
        case .dependsOnContent(let longest):
            let type = header & 0x1F
            if Self.ends.contains(type) {
                return unit.count <= longest && unit.dropFirst().allSatisfy { $0 == 0 }
            }
            guard type == Self.messages else { return unit.count <= longest && admits(unit, type) }
            messages += unit.count
            return unit.count <= longest && messages <= Self.allMessages
        }
    }

    private mutating func admits(_ unit: UnsafeRawBufferPointer, _ type: UInt8) -> Bool {
        // Before its ID, a sequence parameter set has a profile, constraints and a level.
        let place = type == Self.parameters.lowerBound ? 4 : 1
        guard let id = Self.number(in: unit, at: place) else { return false }
        let name = Int(type) << 16 | id
        guard known.contains(name) || known.count < Self.mostParameters else { return false }
        known.insert(name)
        return true
    }

    /// Reads an Exp-Golomb code of at most 31 bits (§9.1) that begins at a byte position; nil if it is invalid.
    private static func number(in unit: UnsafeRawBufferPointer, at place: Int) -> Int? {
        var (zeros, bit) = (0, place * 8)
        func next() -> Int? {
            guard bit / 8 < unit.count else { return nil }
            defer { bit += 1 }
            return Int(unit[bit / 8] >> (7 - UInt8(bit % 8)) & 1)
        }
        while let value = next() {
            guard value == 0 else {
                var number = 1
                for _ in 0..<zeros {
                    guard let value = next() else { return nil }
                    number = number << 1 | value
                }
                return number - 1
            }
            zeros += 1
            guard zeros < 16 else { return nil }
        }
        return nil
    }
}
