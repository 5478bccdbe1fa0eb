/// The name of a control, which identifies it across frames.
package struct ControlID: Hashable, Sendable, ExpressibleByStringLiteral {
    let name: String

    package init(stringLiteral name: String) { self.name = name }

    package init(_ name: String) { self.name = name }

    package func child(_ index: Int) -> ControlID { ControlID("\(name).\(index)") }

    /// The FNV-1a hash of the name, the same in each process.
    var number: UInt32 {
        name.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
