internal import GStreamerKit
internal import Synchronization

/// The check of an MP4 or QuickTime file while GStreamer reads it from a server, which may send anything at any time.
struct MovieWatch: Sendable {
    /// The longest index or fragment in bytes; the index of ten hours has twenty million.
    private static let longest: UInt64 = 200_000_000

    /// The check of what was pulled; qtdemux forgets the samples of a fragment that was pushed when the next one comes.
    private var check = MovieCheck()
    private var scan = BoxScan(longest: longest)

    /// Determines the reason why a part of the file must not be read; nil if it may.
    mutating func reason(against part: UnsafeRawBufferPointer, _ scheduling: Pad.Scheduling) -> String? {
        do throws(ContainerRefusal) {
            switch scheduling {
            case .pulled:
                // qtdemux pulls each index and each fragment as a whole.
                guard let box = MP4Box(part.prefix(16)), BoxScan.isChecked(box.name) else { return nil }
                try check.add(BoundedFile(Array(part)), from: 0)
            case .pushed(let isAfterGap):
                if isAfterGap { scan = BoxScan(longest: Self.longest) }
                for box in try scan.boxes(in: part) { try MovieCheck.check(BoundedFile(box), from: 0) }
            }
            return nil
        } catch {
            return error.reason
        }
    }
}

/// A search for the indexes and fragments of an MP4 file that arrives in parts.
struct BoxScan: Sendable {
    private let longest: UInt64
    /// The beginning of a box, until its size is known.
    private var head: [UInt8] = []
    /// The bytes of the box that have not arrived.
    private var left: UInt64 = 0
    /// The box so far, if it is checked.
    private var kept: [UInt8]?

    init(longest: UInt64) { self.longest = longest }

    static func isChecked(_ name: String) -> Bool { ["moov", "moof"].contains(name) }

    /// Returns the indexes and fragments that end in this part, each as a whole.
    ///
    /// - Throws: The reason for a refusal.
    mutating func boxes(in part: UnsafeRawBufferPointer) throws(ContainerRefusal) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var place = 0
        while place < part.count {
            if left == 0 {
                head.append(part[place])
                place += 1
                try beginBox()
            } else {
                let count = Int(min(left, UInt64(part.count - place)))
                kept?.append(contentsOf: part[place..<place + count])
                left -= UInt64(count)
                place += count
            }
            guard left == 0, head.isEmpty, let box = kept else { continue }
            found.append(box)
            kept = nil
        }
        return found
    }

    /// Begins a box if its size is known.
    private mutating func beginBox() throws(ContainerRefusal) {
        guard let box = MP4Box(head), head.count == box.head else { return }
        // A box of the size 0 is the last one.
        let size = box.size == 0 && box.head == 8 ? UInt64.max : box.size
        guard size >= box.head else { throw ContainerRefusal("its boxes are damaged") }
        let isChecked = Self.isChecked(box.name)
        guard !isChecked || size <= longest else { throw ContainerRefusal("its index is too long") }
        (kept, left, head) = (isChecked ? head : nil, size - box.head, [])
    }
}

extension Pipeline {
    /// Fails at an index or fragment of an MP4 for which qtdemux would take any memory.
    func refuseHugeMovies() {
        let weak = WeakPipeline(self)
        onElementAdded(from: "qtdemux") { demuxer in
            let watch = Mutex(MovieWatch())
            demuxer.pad("sink")?.pass { part, scheduling in
                guard let reason = watch.withLock({ $0.reason(against: part, scheduling) }) else {
                    return true
                }
                weak.fail(reason)
                return false
            }
        }
    }
}
