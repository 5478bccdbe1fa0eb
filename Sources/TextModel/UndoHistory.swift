/// The replacement of one piece of text, which is the unit of undo and redo.
struct EditStep: Sendable {
    /// The kinds of edits; consecutive edits of one kind can be combined into a step, except those of the kind `other`.
    enum Kind: Sendable {
        case typing, deletingBackward, deletingForward, other
    }

    var kind: Kind
    /// The UTF-8 offset at which both texts start.
    var offset: Int
    var removed: String
    var inserted: String
    let selectionBefore: TextSelection
    var selectionAfter: TextSelection

    var bytes: Int { removed.utf8.count + inserted.utf8.count }

    /// The range of `inserted` in UTF-8 offsets, in the text after the edit.
    var insertedRange: Range<Int> { offset..<offset + inserted.utf8.count }

    /// The range of `removed` in UTF-8 offsets, in the text before the edit.
    var removedRange: Range<Int> { offset..<offset + removed.utf8.count }

    /// Combines this edit with one that continues it.
    ///
    /// - Returns: Whether the edits were combined; otherwise nothing has changed.
    mutating func append(_ next: EditStep) -> Bool {
        guard kind == next.kind else { return false }
        switch kind {
        case .typing:
            guard next.removed.isEmpty, next.offset == insertedRange.upperBound,
                !Self.isWordStart(next.inserted.unicodeScalars.first, after: inserted.unicodeScalars.last)
            else { return false }
            inserted += next.inserted
        case .deletingBackward:
            guard next.removedRange.upperBound == offset,
                !Self.isWordStart(next.removed.unicodeScalars.first, after: removed.unicodeScalars.first)
            else { return false }
            removed = next.removed + removed
            offset = next.offset
        case .deletingForward:
            guard next.offset == offset,
                !Self.isWordStart(next.removed.unicodeScalars.first, after: removed.unicodeScalars.last)
            else { return false }
            removed += next.removed
        case .other: return false
        }
        selectionAfter = next.selectionAfter
        return true
    }

    private static func isWordStart(_ next: Unicode.Scalar?, after last: Unicode.Scalar?) -> Bool {
        guard let next, let last else { return false }
        return last.properties.isWhitespace && !next.properties.isWhitespace
    }
}

/// The edits that can be undone and redone; the oldest are dropped if there are too many.
struct UndoHistory: Sendable {
    /// The maximum number of steps.
    static let maximumSteps = 200

    /// The maximum size of all steps that can be undone, in bytes of text; a single step may be larger.
    static let maximumBytes = 1 << 20

    private var done: [EditStep] = []
    private var undone: [EditStep] = []
    private var bytes = 0
    private var isOpen = false

    var canUndo: Bool { !done.isEmpty }
    var canRedo: Bool { !undone.isEmpty }

    /// Ends the current undo step, so that the next edit starts a new one.
    mutating func close() { isOpen = false }

    /// Records an edit, and drops the steps that could have been redone.
    mutating func record(_ step: EditStep) {
        undone = []
        bytes += step.bytes
        if !isOpen || done.isEmpty || !done[done.count - 1].append(step) { done.append(step) }
        isOpen = true
        while done.count > 1, done.count > Self.maximumSteps || bytes > Self.maximumBytes {
            bytes -= done.removeFirst().bytes
        }
    }

    /// Returns the newest step that has not been undone, and marks it as undone; nil if there is none.
    mutating func undo() -> EditStep? {
        isOpen = false
        guard let step = done.popLast() else { return nil }
        bytes -= step.bytes
        undone.append(step)
        return step
    }

    /// Returns the step that was undone most recently, and marks it as not undone; nil if there is none.
    mutating func redo() -> EditStep? {
        isOpen = false
        guard let step = undone.popLast() else { return nil }
        bytes += step.bytes
        done.append(step)
        return step
    }
}
