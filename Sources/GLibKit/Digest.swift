internal import CGLib

/// Hash functions: those of TURN's long-term credentials (RFC 8489 §9.2.2, §14.5), and SHA-256.
package enum Digest {
    /// Computes the SHA-256 digest of a text in UTF-8, as 64 hexadecimal digits.
    package static func sha256(_ text: String) -> String {
        let digits = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, gssize(text.utf8.count))
        defer { g_free(digits) }
        return digits.map { String(cString: $0) } ?? ""
    }

    /// Computes the MD5 digest of `bytes`, 16 bytes long.
    package static func md5(_ bytes: [UInt8]) -> [UInt8] {
        let checksum = g_checksum_new(G_CHECKSUM_MD5)
        defer { g_checksum_free(checksum) }
        g_checksum_update(checksum, bytes, bytes.count)
        return taking(16) { g_checksum_get_digest(checksum, $0, $1) }
    }

    /// Computes the HMAC-SHA1 of `bytes`; the result has 20 bytes.
    package static func hmacSHA1(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let hmac = g_hmac_new(G_CHECKSUM_SHA1, key, gsize(key.count))
        defer { g_hmac_unref(hmac) }
        g_hmac_update(hmac, bytes, bytes.count)
        return taking(20) { g_hmac_get_digest(hmac, $0, $1) }
    }

    private static func taking(
        _ count: Int,
        _ read: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<gsize>?) -> Void
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var length = gsize(count)
            read(buffer.baseAddress, &length)
            written = min(Int(length), count)
        }
    }
}
