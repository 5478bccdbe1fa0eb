package import CallCore
package import GLibKit

extension MediaDoctor {
    /// Queries all STUN and TURN servers concurrently; the checks are in the order of `servers`.
    package static func checks(of servers: [ICEServer], authorities: TLSAuthorities) async -> [Check] {
        let probes = servers.flatMap { server in
            server.urls.compactMap(ICEServerURL.init).map { url in
                let (user, secret) = (server.username ?? "", server.credential ?? "")
                return (
                    url, ICEServerProbe(url, username: user, credential: secret, authorities: authorities)
                )
            }
        }
        return await withTaskGroup { group in
            for (index, (url, probe)) in probes.enumerated() {
                group.addTask { (index, check(of: url, await probe.answer())) }
            }
            var checks: [Int: Check] = [:]
            for await (index, check) in group { checks[index] = check }
            return probes.indices.compactMap { checks[$0] }
        }
    }

    private static func check(of url: ICEServerURL, _ answer: ICEServerProbe.Answer) -> Check {
        let problem = answer.problem(of: url)
        let finding =
            switch answer {
            case .mapped(let address): "it sees this machine at \(address)"
            case .relayed(let address): "it relays, as from \(address)"
            case .refused, .unreachable: problem ?? ""
            }
        return Check(
            name: "\(url.scheme == .stun ? "STUN" : "TURN") server \(url)",
            verdict: problem == nil ? .good : .limited,
            finding: finding,
            fix: problem == nil ? nil : answer.hint(for: url)
        )
    }
}
