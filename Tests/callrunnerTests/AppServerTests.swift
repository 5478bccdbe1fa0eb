import Basics
import GLibKit
import HTTPFront
import Logging
import SignalingServer
import Testing

@testable import callrunner

@Suite("The app's embedded server")
struct AppServerTests {
    private let logger = Logger(label: "test")

    /// Finds a free port that the kernel gives to nobody else, unlike those that it chooses for port 0.
    private func configuration() async throws -> ServerConfiguration {
        var configuration = ServerConfiguration()
        repeat { configuration.port = .random(in: 20_000..<30_000) } while try await !isFree(configuration)
        return configuration
    }

    private func server(_ configuration: ServerConfiguration, _ starts: StateStore<Int>) -> AppServer {
        AppServer(configuration, address: "http://127.0.0.1:\(configuration.port)", logger: logger) {
            _,
            _,
            _ in
            starts.update { $0 += 1 }
        }
    }

    /// Whether nothing listens on the port.
    private func isFree(_ configuration: ServerConfiguration) async throws -> Bool {
        do {
            return try await SignalingServer.run(configuration, logger: logger) { _ in true }
        } catch ServerError.addressInUse { return false }
    }

    @Test("The server starts with the first request, serves all later ones, and stops when the app ends")
    func life() async throws {
        let configuration = try await configuration()
        let starts = StateStore(0)
        let server = server(configuration, starts)
        async let serving: Void = server.run()
        #expect(starts.state == 0)
        for _ in 0..<3 { #expect(try await server.url() == "http://127.0.0.1:\(configuration.port)") }
        #expect(starts.state == 1)
        #expect(try await !isFree(configuration))
        server.stop()
        await serving
        #expect(try await isFree(configuration))
        await #expect(throws: CancellationError.self) { try await server.url() }
    }

    @Test(
        "While another server uses the address, none is started; a request after it has stopped starts one"
    )
    func takingOver() async throws {
        let configuration = try await configuration()
        let (firstStarts, secondStarts) = (StateStore(0), StateStore(0))
        let (first, second) = (server(configuration, firstStarts), server(configuration, secondStarts))
        async let firstServing: Void = first.run()
        let url = try await first.url()
        async let secondServing: Void = second.run()
        #expect(try await second.url() == url)
        #expect(firstStarts.state == 1 && secondStarts.state == 0)
        first.stop()
        await firstServing
        _ = try await second.url()
        #expect(secondStarts.state == 1)
        second.stop()
        await secondServing
    }

    @Test("The database is not opened while another server has the address")
    func database() async throws {
        let configuration = try await configuration()
        let (opened, first) = (StateStore(0), server(configuration, StateStore(0)))
        let second = AppServer(
            configuration,
            address: "http://127.0.0.1:\(configuration.port)",
            services: {
                opened.update { $0 += 1 }
                return .none
            },
            logger: logger
        ) { _, _, _ in }
        async let firstServing: Void = first.run()
        _ = try await first.url()
        async let secondServing: Void = second.run()
        _ = try await second.url()
        #expect(opened.state == 0)
        first.stop()
        await firstServing
        _ = try await second.url()
        #expect(opened.state == 1)
        second.stop()
        await secondServing
    }

    @Test("An account service that could not start is started again when accounts are requested")
    func accountsAgain() async throws {
        let configuration = try await configuration()
        let (isFree, starts) = (StateStore(false), StateStore(0))
        let off = ServedServices(
            accounts: .off(.init(cause: "in use")),
            chat: .off(nil),
            store: ServedStore(nil)
        )
        let server = AppServer(
            configuration,
            address: "http://127.0.0.1:\(configuration.port)",
            services: { isFree.state ? .none : off },
            logger: logger
        ) { _, _, _ in starts.update { $0 += 1 } }
        async let serving: Void = server.run()
        #expect(try await server.reasonWithoutAccounts()?.cause == "in use")
        #expect(try await server.reasonWithoutAccounts()?.cause == "in use")
        #expect(starts.state == 1)
        isFree.update { $0 = true }
        _ = try await server.url()
        #expect(starts.state == 1)
        #expect(try await server.reasonWithoutAccounts() == nil)
        #expect(starts.state == 2)
        _ = try await server.url()
        server.stop()
        await serving
        #expect(try await self.isFree(configuration))
    }

    @Test("A server that cannot start is reported with a hint")
    func failing() async throws {
        var configuration = try await configuration()
        configuration.host = "192.0.2.1"
        let server = server(configuration, StateStore(0))
        async let serving: Void = server.run()
        let failure = await #expect(throws: Failure.self) { try await server.url() }
        #expect(failure?.code == "server-failed" && failure?.hint != nil)
        server.stop()
        await serving
    }

    @Test("A foreign program at the address is reported with a remedy, and no server is started")
    func foreignProgram() async throws {
        let program = try await LoopbackListener(.ipv4)
        var configuration = ServerConfiguration()
        configuration.port = await program.port
        let starts = StateStore(0)
        let server = server(configuration, starts)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                while let stream = try? await program.accept() {
                    _ = try? await stream.read()
                    try? await stream.write(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
                }
            }
            group.addTask { await server.run() }
            let failure = await #expect(throws: Failure.self) { try await server.url() }
            #expect(failure?.code == "foreign-server" && failure?.hint != nil)
            #expect(starts.state == 0)
            server.stop()
            group.cancelAll()
        }
    }
}
