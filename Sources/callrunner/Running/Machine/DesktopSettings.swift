internal import Glibc

/// The setup of the desktop settings, from which GIO reads the proxy.
enum DesktopSettings {
    private static let backend = "GSETTINGS_BACKEND"

    /// Makes GIO avoid dconf if dconf has no folder for its files, and unsets `HOME` if it is not an absolute
    /// path.
    ///
    /// dconf may have no folder in a service, a container, or an account without a home folder; it would then
    /// print a warning in each process. Call this method before another thread starts.
    static func prepare() {
        // libpulse would also print a warning about such a value. Without `HOME`, it uses the account's home
        // folder.
        if let home = getenv("HOME"), home.pointee != CChar(UInt8(ascii: "/")) { unsetenv("HOME") }
        guard getenv(backend) == nil, !hasFolder else { return }
        setenv(backend, "memory", 1)
    }

    /// Whether dconf's folder (`g_get_user_runtime_dir`) exists and is writable, or can be created.
    private static var hasFolder: Bool {
        guard let folder = variable("XDG_RUNTIME_DIR") ?? cache else { return false }
        return canWrite(below: "\(folder)/dconf")
    }

    private static var cache: String? {
        if let folder = variable("XDG_CACHE_HOME") { return folder }
        let account = getpwuid(getuid()).flatMap { $0.pointee.pw_dir.map { String(cString: $0) } }
        return (variable("HOME") ?? account).map { "\($0)/.cache" }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Checks whether a folder is writable or, if it does not exist, can be created.
    ///
    /// The check creates the first missing folder of the path and removes it again, because permissions alone
    /// do not show whether the file system allows it.
    private static func canWrite(below path: String) -> Bool {
        var (folder, missing) = (path, String?.none)
        while access(folder, F_OK) != 0 {
            guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
                return false
            }
            (folder, missing) = (String(folder[..<slash]), folder)
        }
        guard let missing else { return access(folder, W_OK | X_OK) == 0 }
        guard mkdir(missing, 0o700) == 0 else { return errno == EEXIST }
        rmdir(missing)
        return true
    }
}
