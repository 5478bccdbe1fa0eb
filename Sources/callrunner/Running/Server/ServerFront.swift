internal import HTTPFront
internal import Logging
internal import SignalingServer

/// The certificate, the web page and the log of a signaling server.
struct ServerFront {
    private let files: PageFiles?
    let monitor = ServerMonitor()
    let tls: TLSCredentials?
    let logger: Logger
    private let console: Console
    private let logsJSON: Bool
    private let readsFiles: Bool

    /// Creates the log, and loads the certificate and the page.
    ///
    /// - Throws: `Failure`.
    init(_ flags: FrontFlags, _ surroundings: Surroundings, host: String) async throws {
        console = surroundings.console
        logsJSON = try flags.format(surroundings.settings) == .json
        let source = try flags.certificate(surroundings.settings, host: host)
        logger = ServerLog.logger(console, asJSON: logsJSON)
        if case .files? = source { readsFiles = true } else { readsFiles = false }
        do {
            tls = if let source { try await TLSCredentials(source) } else { nil }
        } catch let problem as TLSProblem {
            throw Failure(
                code: "tls",
                message: "\(problem)",
                hint: "give a certificate in PEM and its key, or --tls self-signed",
                exit: 4
            )
        }
        files = try await Self.page(surroundings.environment)
        if files == nil { logger.notice("the web page is not installed: no assets/web/index.html") }
    }

    /// Creates the web page, with the names of the services that the server offers; `addMetrics` adds theirs.
    func page(
        offering services: [String],
        addMetrics: @escaping @Sendable (inout PrometheusText) -> Void
    ) -> PageService {
        var files = files
        files?.tell(services: services)
        return PageService(
            monitor: monitor,
            page: files,
            version: Version.number,
            logger: logger,
            addMetrics: addMetrics
        )
    }

    /// The handler of SIGHUP, which reloads the certificate files if the server uses any.
    var onHangUp: @Sendable () async -> Void {
        guard readsFiles, let tls else {
            return { [console] in console.say("SIGHUP: the server has no certificate files to reload")
            }
        }
        return { [logger, console] in
            if await tls.reload(logger) { console.say("certificate reloaded: \(tls.fingerprint)") }
        }
    }

    /// Reports the address of the server, and warns if other computers need TLS to send media from a browser.
    func announce(_ server: ListeningServer) {
        say("listening on \(server.url) (Ctrl-C to stop)")
        if let tls {
            say("certificate, SHA-256: \(tls.fingerprint)")
        } else if !Self.isLoopback(server.host) {
            warn(
                "without TLS, browsers on other machines can only receive; give --tls self-signed, or "
                    + "--tls-cert and --tls-key"
            )
        }
    }

    /// Writes a message to the console, as a log entry if the log is JSON.
    func say(_ sentence: String) {
        if logsJSON { logger.notice("\(sentence)") } else { console.say(sentence) }
    }

    /// Writes a warning to the console, as a log entry if the log is JSON.
    func warn(_ sentence: String) {
        if logsJSON { logger.warning("\(sentence)") } else { console.say("warning: \(sentence)") }
    }

    private static func page(_ environment: [String: String]) async throws -> PageFiles? {
        guard let folder = Installation.webFolder(environment) else { return nil }
        do {
            return try await PageFiles.read(from: folder)
        } catch let problem as PageFiles.Problem {
            throw Failure(code: "installation", message: "\(problem)", hint: "reinstall callrunner", exit: 4)
        }
    }

    /// Checks whether a host name or address is reachable only from this computer.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
