internal import Basics
internal import GLibKit
internal import LiveCore

/// The server to which a live stream is published.
struct PublishTarget {
    let address: PublishAddress
    let authorities: TLSAuthorities

    /// Reads the address from the text of a flag, or from a file whose name follows `@`, and the stream key from the
    /// environment.
    ///
    /// - Throws: `Failure` with exit code 64, whose text does not contain the key.
    init(_ text: String, flag: String, trusting authorities: TLSAuthorities, _ environment: [String: String])
        throws(Failure)
    {
        var text = text
        if text.hasPrefix("@") {
            let file: KeyFile
            do { file = try KeyFile(String(text.dropFirst())) } catch { throw .usage("\(flag): \(error)") }
            try file.checkAccess()
            text = String(decoding: file.secret ?? [], as: UTF8.self)
        }
        do throws(LiveFailure) {
            address = try PublishAddress(text, key: environment["CALLRUNNER_STREAM_KEY"])
        } catch {
            throw .usage(
                "\(flag): \(error.message)",
                hint: "write rtmp://HOST/APP/KEY, or rtmps:// for TLS"
            )
        }
        self.authorities = authorities
    }
}
