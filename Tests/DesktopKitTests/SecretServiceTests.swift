// Both CGLib and Glibc are imported, because `sigset_t` belongs to the one that is compiled first.
import CGLib
import DesktopKit
import Foundation
import GLibKit
import Glibc
import Testing

@Suite(
    "The user's keyring",
    .enabled(if: ["dbus-daemon", "gnome-keyring-daemon", "gdbus"].allSatisfy(Neighbour.isInstalled)),
    .timeLimit(.minutes(4))
)
struct SecretServiceTests {
    /// Starts gnome-keyring on this bus; `password`, if any, unlocks the user's keyring.
    @LoopActor
    private static func keyring(on bus: PrivateBus, password: String?) async throws -> Neighbour {
        let unlock = password == nil ? [] : ["--unlock"]
        let words = ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + unlock
        let quoted = words.joined(separator: " ")
        let keyring = try Neighbour("sh", "-c", "exec \(quoted)", environment: bus.environment)
        if let password { try keyring.say(password) }
        try keyring.hush()
        let wait = try Neighbour(
            "gdbus",
            "wait",
            "--session",
            "--timeout",
            "30",
            "org.freedesktop.secrets",
            environment: bus.environment
        )
        while try await wait.line() != nil {}
        return keyring
    }

    // The test runs in its own process, because libsecret reads the environment variables.
    @Test(
        "A secret is stored, replaced and removed, survives a restart, and is not read from a locked keyring"
    )
    func secrets() async {
        await #expect(processExitsWith: .success) {
            try await Self.keepAndForget()
        }
    }

    @LoopActor
    private static func end(_ keyring: Neighbour, on bus: PrivateBus) async throws {
        try await keyring.end()
        // Once the bus has responded, it has also noticed the end of the process.
        _ = await SecretService(bus.environment, timeout: .seconds(30))
    }

    @LoopActor
    private static func keepAndForget() async throws {
        let bus = try await PrivateBus()
        for (name, value) in bus.environment { setenv(name, value, 1) }
        #expect(await SecretService(bus.environment, timeout: .seconds(30)) == nil)
        var keyring = try await keyring(on: bus, password: "pass")
        let service = try #require(await SecretService(bus.environment, timeout: .seconds(30)))
        #expect(try await service.secret(named: "token") == nil)
        for secret in ["one", "deux ü \n \"x\"", String(repeating: "x", count: 60_000)] {
            try await service.keep(secret, named: "token", label: "a token")
            #expect(try await service.secret(named: "token") == secret)
        }
        try await service.keep("other", named: "another", label: "another")
        try await end(keyring, on: bus)
        #expect(await SecretService(bus.environment, timeout: .seconds(30)) == nil)
        keyring = try await Self.keyring(on: bus, password: nil)
        let locked = try #require(await SecretService(bus.environment, timeout: .seconds(30)))
        #expect(try await locked.secret(named: "another") == nil)
        await #expect(throws: KeyringLocked.self) { try await locked.forget("another") }
        try await end(keyring, on: bus)
        keyring = try await Self.keyring(on: bus, password: "pass")
        let again = try #require(await SecretService(bus.environment, timeout: .seconds(30)))
        #expect(try await again.secret(named: "another") == "other")
        try await again.forget("token")
        try await again.forget("token")
        #expect(try await again.secret(named: "token") == nil)
        #expect(try await again.secret(named: "another") == "other")
        try await keyring.end()
        // The end of the desktop's bus must not end this process.
        try await bus.end()
        #expect(await SecretService(bus.environment, timeout: .seconds(30)) == nil)
        // When a bus ends, GIO may raise SIGTERM, which would be pending if the test runner blocks it.
        var pending = sigset_t()
        sigpending(&pending)
        #expect(sigismember(&pending, SIGTERM) == 0)
    }
}
