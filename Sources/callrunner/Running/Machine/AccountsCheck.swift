internal import CallMedia
internal import ServerStore

/// The checks of `callrunner doctor` for the accounts of a server.
enum AccountsCheck {
    /// Checks the folder with the data, and the program that sends codes.
    static func all(_ settings: Settings) async -> [MediaDoctor.Check] {
        [await data(settings)] + [codes(settings)].compactMap(\.self)
    }

    private static func data(_ settings: Settings) async -> MediaDoctor.Check {
        func check(
            _ finding: String,
            _ verdict: MediaDoctor.Check.Verdict = .good,
            fix: String? = nil
        ) -> MediaDoctor.Check {
            MediaDoctor.Check(name: "accounts", verdict: verdict, finding: finding, fix: fix)
        }
        let folder: ServerFolder?
        do throws(Failure) {
            folder = try AccountsFlags.folder(settings, nil)
        } catch {
            return check(error.message, .limited, fix: error.hint)
        }
        guard let folder else {
            return check(
                "there is no folder for their data",
                .limited,
                fix: "set HOME, or `data` in the configuration"
            )
        }
        switch await ServerDatabase.condition(of: folder, ServedStore.migrations) {
        case .absent where !folder.canBeMade:
            return check(
                "\(folder.path) does not exist and cannot be created",
                .limited,
                fix: "set HOME, or `data` in the configuration"
            )
        case .absent: return check("\(folder.path) does not exist yet; `callrunner serve` creates it")
        case .good: return check("the database in \(folder.path) is in order")
        case .failed(.inUse(_, let process)):
            return check("a server\(process.map { ", process \($0)," } ?? "") uses \(folder.path)")
        case .failed(let failure): return check(failure.message, .limited, fix: failure.hint)
        }
    }

    /// Checks the program that sends codes; nil if none is configured.
    private static func codes(_ settings: Settings) -> MediaDoctor.Check? {
        let name = "codes for accounts"
        do throws(Failure) {
            guard let program = try AccountsFlags.program(settings, nil) else { return nil }
            return MediaDoctor.Check(name: name, verdict: .good, finding: "sent by \(program)", fix: nil)
        } catch {
            return MediaDoctor.Check(name: name, verdict: .limited, finding: error.message, fix: error.hint)
        }
    }
}
