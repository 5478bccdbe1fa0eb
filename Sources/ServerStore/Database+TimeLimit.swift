package import GRDB
internal import GRDBSQLite

extension Database {
    /// The number of SQLite virtual machine instructions between two checks of the time limit.
    private static let instructions: Int32 = 100

    /// Calls a function and interrupts its statements after a time limit.
    ///
    /// - Returns: False if it was interrupted.
    package func within(_ limit: Duration, _ body: () throws -> Void) throws -> Bool {
        var end = ContinuousClock.now + limit
        return try withUnsafeMutablePointer(to: &end) { end in
            sqlite3_progress_handler(
                sqliteConnection,
                Self.instructions,
                { end in
                    let end = end?.assumingMemoryBound(to: ContinuousClock.Instant.self).pointee
                    return end.map { $0 <= .now } ?? false ? 1 : 0
                },
                end
            )
            defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
            do {
                try body()
                return true
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_INTERRUPT
            { return false }
        }
    }
}
