internal import CallCore

extension Diagnosis {
    /// Adapts the message and hint of an ICE, DTLS or media failure to the candidates of both sides.
    func fitted(to path: PathFacts) -> Diagnosis {
        guard ["no-media", "ice-failed", "dtls-failed"].contains(code) else { return self }
        var fitted = self
        if !path.wasConnected { fitted.message += " (\(path))" }
        fitted.hint = Self.hint(path)
        return fitted
    }

    private static func hint(_ path: PathFacts) -> String {
        if path.wasConnected {
            return
                "media flowed and then stopped: check the network between both machines, and whether the peer lives"
        }
        if path.hasPath {
            return
                "a path was found and no keys could be agreed on over it: check that large UDP packets pass "
                + "(MTU), and that nothing alters them"
        }
        if let problem = path.relayProblem, path.local.relay == 0 {
            return "no relay on this side, because \(problem): mend that first"
        }
        if path.local.count == 0 {
            return "this machine has no address that a peer could reach: check `ip address`, or add --turn"
        }
        if path.remote.count == 0 {
            return
                "the peer told of no address: check what it says itself, and that the server passes candidates on"
        }
        if path.remote.count == path.remote.named {
            return
                "the peer hides its addresses behind mDNS names: add --turn, or let its page use the camera"
        }
        switch (path.local.relay > 0, path.remote.relay > 0) {
        case (false, false) where path.local.reflexive == 0:
            return
                "no relay and nothing but own addresses: check that UDP passes between both machines; across "
                + "networks add --stun and --turn"
        case (false, false):
            return "no relay on either side: add --turn, which gets through where addresses do not"
        case (true, true): return "relays were there and did not help: check that UDP reaches the TURN server"
        case (true, false), (false, true):
            return "one side has a relay and the other does not: give both --turn"
        }
    }
}
