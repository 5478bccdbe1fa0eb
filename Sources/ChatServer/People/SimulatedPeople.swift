internal import Basics
package import ChatCore

/// The people whom the server simulates, so that users have somebody to write to.
package struct SimulatedPeople: Sendable {
    package static let count = 15
    private static let alwaysOnline = 1...3
    private static let drawn = 4...10
    private static let chance = 0.2

    private static let catalog: [(name: String, status: String?)] = [
        ("Iryna Hrabar", "repotting the fig tree"),
        ("Tobias Lindqvist", "two stops from home"),
        ("Mei Okafor", "tea, then everything else"),
        ("Anselm Brandt", "fixing the old radio"),
        ("Paloma Reyes", "counting swallows"),
        ("Joris Vermeulen", "somewhere on a bicycle"),
        ("Nadia Haddad", "baking bread again"),
        ("Kofi Mensah", "listening to rain"),
        ("Sigrún Jónsdóttir", "up before the sun"),
        ("Lev Markovich", "reading one more page"),
        ("Camille Fontaine", nil),
        ("Rafael Duarte", "at sea until Friday"),
        ("Hana Novotná", "teaching the cat to sit"),
        ("Olek Shevchuk", "in the mountains"),
        ("Wren Ashby", "asleep, probably"),
    ]

    private static let replies = [
        "Good to hear from you!", "Tell me more.", "I was just thinking about that.",
        "Ha, that made my day.", "Let me sleep on it.", "Sounds like a plan.",
    ]

    /// Whether there are simulated people.
    package let isEnabled: Bool
    private var online: Set<Int> = []
    private var replyCount = 0
    private var random: SeededGenerator

    package init(isEnabled: Bool, seed: UInt64) {
        self.isEnabled = isEnabled
        random = SeededGenerator(seed: seed)
        draw()
    }

    /// Randomly selects again which of the people with variable presence are online.
    package mutating func draw() {
        online = Set(Self.drawn.filter { _ in Double.random(in: 0..<1, using: &random) < Self.chance })
    }

    package func isOnline(_ id: Int) -> Bool {
        isEnabled && (Self.alwaysOnline.contains(id) || online.contains(id))
    }

    /// Returns the simulated person with an ID; nil if there is none.
    package func person(_ id: Int) -> ChatPerson? {
        guard isEnabled, (1...Self.count).contains(id) else { return nil }
        let (name, status) = Self.catalog[id - 1]
        return ChatPerson(id: id, name: name, status: status, isOnline: isOnline(id))
    }

    /// The simulated people, ordered by ID; empty if they are disabled.
    package var all: [ChatPerson] { (1...Self.count).compactMap(person) }

    mutating func nextReply() -> String {
        defer { replyCount += 1 }
        return Self.replies[replyCount % Self.replies.count]
    }

    /// Returns a random delay within a range.
    mutating func delay(_ range: ClosedRange<Duration>) -> Duration {
        range.lowerBound + (range.upperBound - range.lowerBound) * Double.random(in: 0...1, using: &random)
    }
}
