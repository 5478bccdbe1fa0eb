import Glibc
import UserStore

/// A program that replaces files and secrets of a folder until it is killed, and writes a line after each
/// change.
@main
struct StoreWriter {
    static func main() async throws {
        let folder = PrivateFolder(CommandLine.arguments[1])
        let secrets = SecretStore(folder: folder, keyring: { nil }, warn: { _ in })
        let cache = ClientCache(folder.folder("cache"), limit: 200_000)
        for number in 0... {
            let content = [UInt8](repeating: UInt8(ascii: "a") + UInt8(number % 26), count: 40_000)
            try folder.write(content, to: "profile")
            try await secrets.keep("secret-\(number)", named: "token", label: "token")
            try cache.write(content, for: "\(number % 8)")
            _ = write(STDOUT_FILENO, ".\n", 2)
        }
    }
}
