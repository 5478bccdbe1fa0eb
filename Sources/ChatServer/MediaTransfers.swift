internal import Hummingbird
internal import Synchronization

/// The files that are being sent to the server or from it, which leave room for other requests.
final class MediaTransfers: Sendable {
    /// A place for a file, which is free again when this object is gone.
    final class Transfer: Sendable {
        private let person: Int
        private let transfers: MediaTransfers

        fileprivate init(_ person: Int, _ transfers: MediaTransfers) {
            (self.person, self.transfers) = (person, transfers)
        }

        deinit { transfers.end(of: person) }
    }

    private static let most = 32
    /// The maximum number of one person; browsers have six connections to a server.
    private static let mostOfPerson = 8

    private let people = Mutex<[Int: Int]>([:])

    init() {}

    /// Takes a place for a file.
    ///
    /// - Throws: `ChatRefusal` if there is none.
    func begin(of person: Int) throws(ChatRefusal) -> Transfer {
        let isTaken = people.withLock { people in
            guard people[person, default: 0] < Self.mostOfPerson, people.values.reduce(0, +) < Self.most
            else {
                return false
            }
            people[person, default: 0] += 1
            return true
        }
        guard isTaken else { throw ChatRefusal(.serviceUnavailable, "too many files are sent at once") }
        return Transfer(person, self)
    }

    private func end(of person: Int) {
        people.withLock { people in
            let left = people[person, default: 1] - 1
            people[person] = left > 0 ? left : nil
        }
    }
}
