import LiveCore
import Testing

@Suite("Addresses of servers for live streams")
struct PublishAddressTests {
    @Test(
        "An address has a host, a port, an app and a key",
        arguments: [
            ("rtmp://host/app/key", "rtmp://host:1935/app", "key"),
            ("RTMPS://host/app/key", "rtmps://host:443/app", "key"),
            ("rtmps://host:5222/live2/a/b?c=d&e=f", "rtmps://host:5222/live2", "a/b?c=d&e=f"),
            ("rtmp://[::1]:99/app/key", "rtmp://[::1]:99/app", "key"),
            ("rtmp://[::1]/app/key", "rtmp://[::1]:1935/app", "key"),
        ]
    )
    func parts(text: String, shown: String, key: String) throws {
        let address = try PublishAddress(text)
        #expect(address.description == shown)
        #expect(address.key == key)
        #expect(!address.host.contains("["))
    }

    @Test("A key that is given apart completes or replaces that of the address")
    func keyApart() throws {
        #expect(try PublishAddress("rtmp://host/app", key: "k").key == "k")
        #expect(try PublishAddress("rtmp://host/app/", key: "k").key == "k")
        #expect(try PublishAddress("rtmp://host/app/other", key: "k").key == "k")
    }

    @Test(
        "A text of the server is shown without the key and its parts",
        arguments: [
            ("key", "stream key not found", "stream (key) not found"),
            ("SECRET1?user=me", "SECRET1 not found, me neither", "(key) not found, me neither"),
            ("SECRET1?token=SECRET2", "no SECRET2 at SECRET1", "no (key) at (key)"),
            ("SECRET%2F1", "no SECRET/1 here", "no (key) here"),
            ("SECRET%zz", "no SECRET%zz or SECRET", "no (key) or SECRET"),
        ]
    )
    func hidden(key: String, text: String, shown: String) throws {
        #expect(try PublishAddress("rtmp://host/app/\(key)").hidingSecrets(in: text) == shown)
    }

    @Test("The query of an app is sent, and not shown")
    func query() throws {
        let address = try PublishAddress("rtmp://host/app?auth=SECRETQ/key")
        #expect(
            address.description == "rtmp://host:1935/app"
                && address.appURL == "rtmp://host:1935/app?auth=SECRETQ"
        )
        #expect(address.hidingSecrets(in: "auth=SECRETQ is old, SECRETQ") == "(key) is old, (key)")
    }

    @Test(
        "Invalid addresses are refused without showing the key",
        arguments: [
            "", "host/app/secret", "http://host/app/secret", "rtmp://host/app", "rtmp://host/app/",
            "rtmp:///app/secret",
            "rtmp://host:0/app/secret", "rtmp://host:65536/app/secret", "rtmp://host:x/app/secret",
            "rtmp://[::1/app/secret", "rtmp://[::1]x/app/secret", "rtmp://a@host/app/secret",
            "rtmp://host/app/sec ret",
            "rtmp://host//secret",
        ]
    )
    func invalid(text: String) {
        let failure = #expect(throws: LiveFailure.self) { try PublishAddress(text) }
        #expect(failure?.reason == .invalid)
        #expect(failure?.message.contains("sec") == false)
    }
}
