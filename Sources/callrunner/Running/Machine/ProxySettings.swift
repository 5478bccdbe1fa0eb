internal import Glibc

/// The setup of the proxies in the environment, which libproxy reads.
enum ProxySettings {
    private static let proxies = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
    private static let loopback = "127.0.0.1"

    /// Makes GStreamer connect to 127.0.0.1 without a proxy, because the player's own gateway listens there.
    ///
    /// Call this method before another thread starts.
    static func prepare() {
        guard proxies.contains(where: { getenv($0) != nil }) else { return }
        let exceptions = (getenv("no_proxy") ?? getenv("NO_PROXY")).map { String(cString: $0) } ?? ""
        let hosts = exceptions.split(separator: ",").map { $0.trimmingPrefix(" ") }
        guard !hosts.contains("*"), !hosts.contains(loopback[...]) else { return }
        setenv("no_proxy", exceptions.isEmpty ? loopback : "\(exceptions),\(loopback)", 1)
    }
}
