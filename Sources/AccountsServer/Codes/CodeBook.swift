internal import HTTPFront

/// The codes that were sent to phones, and the phones that were verified by them, with rate limits.
///
/// They are stored in memory only: after a restart of the server, a user must request a new code.
struct CodeBook {
    /// The reason why a code must not be sent or entered now.
    enum Refusal: Error, Hashable {
        /// The next attempt is allowed after this time.
        case wait(Duration)
    }

    /// The result of checking a code.
    enum Check: Hashable {
        case correct, wrong
    }

    private struct Code {
        let text: String
        let end: Duration
        /// The number of wrong codes that each client has entered.
        var tries: [Client?: Int] = [:]
        var triesInAll = 0
    }

    /// A verification of a phone by a code.
    private struct Verification {
        /// The address of the client that entered the code; nil if a local proxy hides addresses.
        let client: Client?
        /// The digest of the token for the registration.
        let token: String
        let end: Duration
        /// Whether a user has registered with this verification.
        var isUsed = false
    }

    /// A permission to register with a verified phone.
    enum Permission: Hashable, Sendable {
        case register
        /// The client may repeat a registration whose answer was lost.
        case repeatRegistration
    }

    /// The times of recent events of one phone or address, in ascending order.
    private struct Recent {
        var times: [Duration] = []

        /// Returns the time until fewer than `limit` events are within the last hour; nil if they are already fewer.
        func wait(limit: Int, at now: Duration) -> Duration? {
            let recent = times.filter { now - $0 < CodeBook.hour }
            return recent.count < limit ? nil : recent[recent.count - limit] + CodeBook.hour - now
        }

        mutating func add(_ now: Duration) {
            times.removeAll { now - $0 >= CodeBook.hour }
            times.append(now)
        }
    }

    /// The events of phones or addresses within the last hour.
    private struct Events<Key: Hashable> {
        private var recent: [Key: Recent] = [:]

        var count: Int { recent.count }

        func last(_ key: Key) -> Duration? { recent[key]?.times.last }

        func wait(_ key: Key, limit: Int, at now: Duration) -> Duration? {
            recent[key]?.wait(limit: limit, at: now)
        }

        mutating func add(_ key: Key, _ now: Duration) { recent[key, default: Recent()].add(now) }

        mutating func remove(_ key: Key, _ time: Duration) {
            guard let index = recent[key]?.times.lastIndex(of: time) else { return }
            recent[key]?.times.remove(at: index)
        }

        mutating func clean(_ now: Duration) {
            recent = recent.filter { event in event.value.times.contains { now - $0 < CodeBook.hour } }
        }
    }

    /// The events of addresses and of their networks within the last hour.
    private struct ClientEvents {
        private var addresses = Events<Client>()
        private var networks = Events<Client>()

        /// The number of addresses, and thereby the maximum number of networks.
        var count: Int { addresses.count }

        /// Returns the time until an address may have another event, considering its network as well; nil if it may
        /// have one now.
        ///
        /// A network may have ten times as many events as an address.
        func wait(_ client: Client?, limit: Int, at now: Duration) -> Duration? {
            guard let client else { return nil }
            let ofNetwork = client.network.flatMap {
                networks.wait($0, limit: limit * CodeBook.clientsOfNetwork, at: now)
            }
            return [addresses.wait(client, limit: limit, at: now), ofNetwork].compactMap(\.self).max()
        }

        mutating func add(_ client: Client?, _ now: Duration) {
            guard let client else { return }
            addresses.add(client, now)
            if let network = client.network { networks.add(network, now) }
        }

        mutating func clean(_ now: Duration) {
            addresses.clean(now)
            networks.clean(now)
        }
    }

    /// The wrong codes that were entered for a phone within a day.
    private struct Guesses {
        let begin: Duration
        var count = 0

        func isOver(at now: Duration) -> Bool { now - begin >= CodeBook.day }
    }

    typealias Client = ClientAddress

    static let lifetime = Duration.seconds(300)
    /// The maximum number of wrong codes that one client may enter for a code; all clients together may enter ten times
    /// as many.
    static let tries = 5
    private static let triesInAll = 50
    static let pause = Duration.seconds(30)
    static let verificationLifetime = Duration.seconds(600)
    private static let hour = Duration.seconds(3600)
    private static let day = Duration.seconds(86_400)
    private static let perPhone = 5
    /// The number of wrong codes for a phone within a day from which on codes are presumably guessed from many
    /// addresses.
    ///
    /// From this number on, all clients together may enter fewer wrong codes for a code (`triesOfGuessed`): three times
    /// the limit of one client, so that a single client cannot lock out others.
    private static let mostGuesses = 100
    private static let triesOfGuessed = 15
    private static let perClient = 30
    /// The maximum number of wrong codes from an address within an hour.
    private static let wrongPerClient = 60
    /// The factor by which the limits of a network exceed those of an address.
    private static let clientsOfNetwork = 10
    /// The maximum number of phones, and of addresses, whose events are stored; if it is reached, no codes are sent.
    private static let capacity = 100_000

    private var codes: [String: Code] = [:]
    private var verifications: [String: Verification] = [:]
    private var ofPhone = Events<String>()
    /// The requests by phone for which sending the code has failed.
    private var failedOfPhone = Events<String>()
    private var ofClient = ClientEvents()
    private var wrongOfClient = ClientEvents()
    private var guesses: [String: Guesses] = [:]
    private var lastCleaning = Duration.zero

    /// Checks the rate limits for sending a code, and counts the request.
    ///
    /// - Throws: `Refusal` if the limits do not permit sending a code now.
    mutating func request(_ phone: String, client: Client?, at now: Duration) throws(Refusal) {
        clean(now)
        guard ofPhone.count + failedOfPhone.count < Self.capacity, ofClient.count < Self.capacity else {
            throw .wait(Self.pause)
        }
        var waits: [Duration] = []
        let last = [ofPhone.last(phone), failedOfPhone.last(phone)].compactMap(\.self).max()
        if let last, now - last < Self.pause { waits.append(Self.pause - (now - last)) }
        if let wait = ofPhone.wait(phone, limit: Self.perPhone, at: now) { waits.append(wait) }
        if let wait = ofClient.wait(client, limit: Self.perClient, at: now) { waits.append(wait) }
        if let wait = waits.max() { throw .wait(wait) }
        ofPhone.add(phone, now)
        ofClient.add(client, now)
    }

    /// Cancels the request of a code that could not be sent.
    ///
    /// It no longer counts for the phone's limit, but still for the pause before the next request and for the limit of
    /// the client, because each request has run the program that sends codes.
    mutating func takeBack(_ phone: String, at time: Duration) {
        ofPhone.remove(phone, time)
        failedOfPhone.add(phone, time)
    }

    /// Stores a code that was sent; an earlier code becomes invalid.
    mutating func sent(_ code: String, to phone: String, at now: Duration) {
        codes[phone] = Code(text: code, end: now + Self.lifetime)
    }

    /// Checks a code, which is invalid after `use(_:of:)` or after too many wrong codes.
    ///
    /// - Throws: `Refusal` if the client has entered too many wrong codes for any phones.
    mutating func check(
        _ entered: String,
        of phone: String,
        client: Client?,
        at now: Duration
    ) throws(Refusal) -> Check {
        if let wait = wrongOfClient.wait(client, limit: Self.wrongPerClient, at: now) { throw .wait(wait) }
        let triesInAll = isGuessed(phone, at: now) ? Self.triesOfGuessed : Self.triesInAll
        guard var code = codes[phone], now < code.end, code.triesInAll < triesInAll,
            code.tries[client, default: 0] < Self.tries
        else { return wrong(client, now) }
        guard !Self.isEqual(entered, code.text) else { return .correct }
        code.tries[client, default: 0] += 1
        code.triesInAll += 1
        codes[phone] = code
        if guesses[phone]?.isOver(at: now) ?? true { guesses[phone] = Guesses(begin: now) }
        guesses[phone]?.count += 1
        return wrong(client, now)
    }

    /// Returns whether the number of wrong codes for a phone suggests that codes are being guessed.
    private func isGuessed(_ phone: String, at now: Duration) -> Bool {
        guesses[phone].map { $0.count >= Self.mostGuesses && !$0.isOver(at: now) } ?? false
    }

    private mutating func wrong(_ client: Client?, _ now: Duration) -> Check {
        if wrongOfClient.count < Self.capacity { wrongOfClient.add(client, now) }
        return .wrong
    }

    /// Removes a correct code after its use.
    mutating func use(_ code: String, of phone: String) {
        if codes[phone]?.text == code { codes[phone] = nil }
    }

    /// Records that a client has verified a phone; this client, or any with the token that has this digest, may
    /// register.
    mutating func verified(_ phone: String, client: Client?, token: String, at now: Duration) {
        verifications[phone] = Verification(
            client: client,
            token: token,
            end: now + Self.verificationLifetime
        )
    }

    /// Returns the permission of a client to register with a phone, by the client's address or the digest of its token.
    ///
    /// - Returns: The permission; nil if there is no recent verification of the phone by this client.
    func permission(_ phone: String, client: Client?, token: String?, at now: Duration) -> Permission? {
        guard let known = verifications[phone], now < known.end else { return nil }
        if let token {
            guard Self.isEqual(token, known.token) else { return nil }
            return known.isUsed ? .repeatRegistration : .register
        }
        return client != nil && client == known.client && !known.isUsed ? .register : nil
    }

    /// Records a registration with a phone, which must be verified again before another registration.
    mutating func registered(_ phone: String) { verifications[phone]?.isUsed = true }

    /// Compares in constant time, so that the duration does not reveal the position of the first difference.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Removes outdated entries, at most once per `pause`.
    private mutating func clean(_ now: Duration) {
        guard now - lastCleaning >= Self.pause else { return }
        lastCleaning = now
        codes = codes.filter { now < $0.value.end }
        verifications = verifications.filter { now < $0.value.end }
        ofPhone.clean(now)
        ofClient.clean(now)
        failedOfPhone.clean(now)
        wrongOfClient.clean(now)
        guesses = guesses.filter { !$0.value.isOver(at: now) }
    }
}
