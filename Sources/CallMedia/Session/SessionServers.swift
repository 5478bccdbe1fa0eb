internal import Basics
internal import CallCore
internal import GLibKit
internal import GStreamerKit

/// The STUN and TURN servers of one attempt, as URLs for webrtcbin.
struct SessionServers: Sendable {
    /// The STUN server, such as `stun://HOST:PORT`; nil for none.
    var stun: String?
    /// The TURN servers, such as `turn://USER:SECRET@HOST:PORT?transport=udp`.
    var turn: [String] = []
    /// The TURN servers that the URLs in `turn` refer to, in the same order.
    var relays: [ICEServerList.TURN] = []
}

extension LiveMediaService {
    /// Combines the configured servers with those from the signaling server; warns about ignored servers.
    func servers(for iceServers: [ICEServer]) async -> SessionServers {
        let lookups = await HostLookup.all(ICEServerList.names(in: iceServers))
        let list = ICEServerList(configuration.iceServers + iceServers, lookups: lookups)
        for complaint in list.complaints { warnOnce(complaint) }
        var servers = SessionServers()
        servers.stun = list.stun.map { "stun://\($0.authority)" }
        for server in list.turn {
            guard let text = await settingText(server) else { continue }
            servers.turn.append(text)
            servers.relays.append(server)
        }
        return servers
    }

    private func settingText(_ server: ICEServerList.TURN) async -> String? {
        guard server.url.transport == .tls else { return server.settingText() }
        guard TLSAuthorities.areAvailable else {
            warnOnce("the TURN server \(server.url) is ignored: TLS needs the package glib-networking")
            return nil
        }
        // libnice connects to a server only from local addresses of the same address family.
        let isIPv6 = configuration.addressRule.isIPv6Only(among: LocalAddresses.interfaces())
        do {
            let port = try await forwarders.port(for: server.url, isIPv6 ? .ipv6 : .ipv4)
            return server.settingText(through: (isIPv6 ? "[::1]" : "127.0.0.1") + ":\(port)")
        } catch is CancellationError { return nil } catch {
            warnOnce("the TURN server \(server.url) is ignored: \(error)")
            return nil
        }
    }
}

extension LiveMediaSession {
    /// Configures the ICE agent's local addresses, ports and servers.
    ///
    /// - Throws: `CallMediaFailure.noAddress` if no local address may be used.
    func gather(_ servers: SessionServers) throws {
        let configuration = service.configuration
        if let addresses = configuration.addressRule.addresses(among: LocalAddresses.interfaces()) {
            guard !addresses.isEmpty else {
                throw CallMediaFailure.noAddress(configuration.addressRule.problem)
            }
            for address in addresses { bin.gather(on: address) }
        }
        if let ports = configuration.icePorts { bin.keepPorts(in: ports) }
        if configuration.relayOnly { bin.set("ice-transport-policy", parsing: "relay") }
        if let stun = servers.stun { bin.set("stun-server", stun) }
        for (text, server) in zip(servers.turn, servers.relays) where !bin.addTURNServer(text) {
            service.warnOnce("the TURN server \(server.url) is ignored: webrtcbin rejects its URL")
        }
    }
}
