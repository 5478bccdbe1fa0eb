package import Basics

/// A session of the user in the server's list.
package struct SignIn: Hashable, Sendable {
    package let id: String
    /// The description of the program and the device that the client sent when it signed in.
    package let device: String
    package let created: Timestamp?
    package let last: Timestamp?
    /// Whether it is the current session of this client.
    package let isCurrent: Bool

    package init(
        id: String,
        device: String,
        created: Timestamp? = nil,
        last: Timestamp? = nil,
        isCurrent: Bool = false
    ) {
        (self.id, self.device, self.isCurrent) = (id, device, isCurrent)
        (self.created, self.last) = (created, last)
    }

    /// Parses an item of the server's list; nil if it has no ID.
    package init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue else { return nil }
        self.init(
            id: id.printable(limit: 100),
            device: (json["device"]?.stringValue ?? "").printable(limit: 100),
            created: json["created"]?.stringValue.flatMap { Timestamp($0) },
            last: json["last"]?.stringValue.flatMap { Timestamp($0) },
            isCurrent: json["current"]?.boolValue ?? false
        )
    }
}
