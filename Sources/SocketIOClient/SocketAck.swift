public import Basics

/// The acknowledgement that a server requested with an event.
public struct SocketAck: Sendable {
    private let connection: Connection
    private let id: Int
    private let life: Int

    init(connection: Connection, id: Int, life: Int) {
        self.connection = connection
        self.id = id
        self.life = life
    }

    /// Sends the acknowledgement; does nothing if the event's connection has ended.
    public func callAsFunction(_ arguments: JSON...) async {
        await connection.acknowledge(id, arguments, life: life)
    }
}
