import FrontParsers
import Testing

@Suite("Targets of requests")
struct RequestTargetTests {
    @Test(
        "The path and the query of a request target are decoded",
        arguments: [
            ("/p", "/p", [:]), ("/p?", "/p", [:]),
            ("/p?a=1&b=%C3%A9+x&c", "/p", ["a": "1", "b": "é x", "c": ""]),
            ("/?a=1&a=2", "/", ["a": "2"]), ("/?a=b=c&%61%62=%zz%4", "/", ["a": "b=c", "ab": "%zz%4"]),
            ("/?a=%FF", "/", ["a": "\u{FFFD}"]), ("/?&&=x#f?g", "/", ["": "x"]), ("", "", [:]),
            ("?", "", [:]),
        ] as [(String, String, [String: String])]
    )
    func targets(uri: String, path: String, query: [String: String]) {
        let target = RequestTarget(uri)
        #expect(target.path == path)
        #expect(target.query == query)
    }
}
