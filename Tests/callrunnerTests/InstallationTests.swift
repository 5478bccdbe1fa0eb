import Testing

@testable import callrunner

@Suite("The installation")
struct InstallationTests {
    @Test("Empty variables name no folder")
    func emptyVariables() throws {
        let environment = ["CALLRUNNER_ASSETS": "", "CALLRUNNER_PIPELINES": ""]
        let settings = Settings(environment: environment, file: .none)
        let installation = try Installation(
            pipelines: try settings.text(.pipelines, nil),
            environment: environment
        )
        #expect(installation.assets.hasSuffix("/assets"))
    }

    @Test("A folder that is named and holds no descriptions is told, and no other is taken")
    func wrongFolder() throws {
        #expect(throws: Failure.self) { try Installation(pipelines: "/no/such", environment: [:]) }
    }
}
