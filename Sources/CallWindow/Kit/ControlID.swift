/// The name of a control, which identifies it across frames.
struct ControlID: Hashable, Sendable, ExpressibleByStringLiteral {
    let name: String

    init(stringLiteral name: String) { self.name = name }

    init(_ name: String) { self.name = name }

    func child(_ index: Int) -> ControlID { ControlID("\(name).\(index)") }

    /// The FNV-1a hash of the name, the same in each process.
    var number: UInt32 {
        name.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
