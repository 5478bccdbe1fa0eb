import Testing

@testable import callrunner

@Suite("Installation")
struct InstallationTests {
    @Test("Empty environment variables for assets and pipelines are ignored")
    func emptyVariables() throws {
        let environment = ["CALLRUNNER_ASSETS": "", "CALLRUNNER_PIPELINES": ""]
        let settings = Settings(environment: environment, file: .none)
        let installation = try Installation(
            pipelines: try settings.text(.pipelines, nil),
            environment: environment
        )
        #expect(installation.assets.hasSuffix("/assets"))
    }

    @Test("A configured pipeline folder without templates is an error")
    func wrongFolder() throws {
        #expect(throws: Failure.self) { try Installation(pipelines: "/no/such", environment: [:]) }
    }
}
