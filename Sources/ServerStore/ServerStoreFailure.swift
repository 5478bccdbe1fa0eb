/// The reason why the data of a server cannot be used.
package enum ServerStoreFailure: Error, Hashable, Sendable {
    /// Another process uses the folder; `process` is the process ID, or nil if it is unknown.
    case inUse(String, process: Int?)
    /// A file or folder cannot be created, read or written.
    case unusable(String, String)
    /// The database is damaged, or the file is not a database.
    case damaged(String, String)
    /// The database was written by a newer version of the program.
    case newer(String)

    /// The failure and its cause, without a full stop.
    package var message: String {
        switch self {
        case .inUse(let path, let process):
            "the folder \(path) is used by another server\(process.map { ", process \($0)" } ?? "")"
        case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .damaged(let path, let reason): "the database \(path) is damaged: \(reason)"
        case .newer(let path): "the database \(path) was written by a newer version of callrunner"
        }
    }

    package var hint: String {
        switch self {
        case .inUse: "end that server, or give another folder with --data DIR"
        case .unusable:
            "check the free disk space and the permissions, or give another folder with --data DIR"
        case .damaged:
            "move it elsewhere together with the files that end in -wal and -shm, then restore a backup, "
                + "or start with an empty database"
        case .newer: "install that version, or give another folder with --data DIR"
        }
    }
}
