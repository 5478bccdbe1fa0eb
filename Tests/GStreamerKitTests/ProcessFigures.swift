import Foundation

/// The resources of this process, as Linux reports them under `/proc/self`.
enum ProcessFigures {
    /// Resident memory in bytes.
    static var residentBytes: Int {
        let fields = read("statm").split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }

    static var threads: Int { count("task") }

    static var descriptors: Int { count("fd") }

    private static func read(_ name: String) -> String {
        FileManager.default.contents(atPath: "/proc/self/\(name)").map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    private static func count(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
    }
}

/// An object whose deallocation shows that its owner has been released.
final class Token: Sendable {}
