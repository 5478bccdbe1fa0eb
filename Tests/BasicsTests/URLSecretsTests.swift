import Basics
import Testing

@Suite("URLs shown without secrets")
struct URLSecretsTests {
    @Test(
        "User, password, query values and fragment are hidden",
        arguments: [
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
            ("https://host/path/", "https://host/path/"),
            ("https://host/?token=secret", "https://host/?token=(hidden)"),
            ("https://host?a=1&token=se=cret&b", "https://host?a=(hidden)&token=(hidden)&(hidden)"),
            ("https://user:secret@host:1/x?y=", "https://host:1/x?y=(hidden)"),
            ("https://user:se@cret@[::1]:1/a@b", "https://[::1]:1/a@b"),
            ("user:secret@host", "host"),
            ("wss://host/#access_token=secret", "wss://host/"),
            ("https://host/?", "https://host/"),
            ("", ""),
        ]
    )
    func shown(_ url: String, _ expected: String) {
        #expect(url.withoutURLSecrets == expected)
    }
}
