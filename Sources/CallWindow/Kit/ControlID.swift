/// The name of a control, the same from frame to frame.
struct ControlID: Hashable, Sendable, ExpressibleByStringLiteral {
    let name: String

    init(stringLiteral name: String) { self.name = name }

    init(_ name: String) { self.name = name }

    func child(_ index: Int) -> ControlID { ControlID("\(name).\(index)") }

    /// A number for it, the same in every process: FNV-1a.
    var number: UInt32 {
        name.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
