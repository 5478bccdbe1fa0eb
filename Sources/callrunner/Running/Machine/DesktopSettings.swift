internal import Glibc

/// The desktop's settings, in which GIO looks for a proxy.
enum DesktopSettings {
    private static let backend = "GSETTINGS_BACKEND"

    /// Lets GIO do without dconf where that would have no folder for its files, and complain of it on standard error
    /// in each process: a service, a container, an account without a home.
    ///
    /// To be called before there is another thread.
    static func prepare() {
        guard getenv(backend) == nil, !hasFolder else { return }
        setenv(backend, "memory", 1)
    }

    /// Whether dconf has, or can make, a folder of its own (`g_get_user_runtime_dir`).
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

    /// Whether a folder can be written, or be made in the nearest that is there.
    ///
    /// For that its first missing part is made, and removed again: what is permitted and what a file system takes
    /// may differ.
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
