internal import GStreamerKit
internal import Synchronization

/// The check of an MP4 or QuickTime file while GStreamer reads it from a server that may send any data.
struct MovieWatch: Sendable {
    /// The maximum size of an index or fragment in bytes; the index of ten hours has twenty million bytes.

    /// The check of all pulled parts together.
    ///
    /// Pushed fragments are checked one by one, because qtdemux discards the samples of each when the next one arrives.
    private var check = MovieCheck()
    private var scan = BoxScan(longest: MovieCheck.longest)

    /// Determines the reason why a part of the file must not be read; nil if it may.
    mutating func reason(against part: UnsafeRawBufferPointer, _ scheduling: Pad.Scheduling) -> String? {
        do throws(ContainerRefusal) {
            switch scheduling {
            case .pulled:
                // qtdemux pulls each index and each fragment as a whole.
                guard let box = MP4Box(part.prefix(16)), BoxScan.isChecked(box.name) else { return nil }
                try check.add(BoundedFile(Array(part)), from: 0)
            case .pushed(let isAfterGap):
                if isAfterGap { scan = BoxScan(longest: MovieCheck.longest) }
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
    /// The beginning of the header of a box, until its size is known.
    private var head: [UInt8] = []
    /// The number of bytes of the box that have not arrived yet.
    private var left: UInt64 = 0
    /// The bytes of the box so far; nil if the box is not checked.
    private var kept: [UInt8]?

    init(longest: UInt64) { self.longest = longest }

    static func isChecked(_ name: String) -> Bool { ["moov", "moof"].contains(name) }

    /// Returns the indexes and fragments that end in this part, each as a whole.
    ///
    /// - Throws: The reason for refusing the file.
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

    /// Begins a box once its header is complete.
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
    /// Makes the pipeline fail at an MP4 index or fragment for which qtdemux would allocate too much memory.
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
