internal import Glibc

/// The resource limits of a process that parses untrusted data.
struct ProcessLimits {
    /// The maximum size of the data segment in bytes (`RLIMIT_DATA`).
    let memory: rlim_t

    /// The limits for playing a stream: more than twice the memory for 4096×2304 video, which is up to 470 MB.
    static var playing: ProcessLimits {
        // Decoders run one thread per processor, and hold frames for each thread.
        let processors = rlim_t(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        return ProcessLimits(memory: (1 << 30) + (processors << 26) + stacks)
    }

    /// The additional memory for thread stacks larger than the usual 8 MiB; a stack counts with its full size.
    private static var stacks: rlim_t {
        var stack = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack)
        // If the stack size is unlimited, each thread's stack has 2 MiB.
        guard stack.rlim_cur != .max, stack.rlim_cur > 8 << 20 else { return 0 }
        return 64 * (min(stack.rlim_cur, 1 << 30) - (8 << 20))
    }

    /// Sets the limits of this process.
    func apply() {
        var limit = rlimit(rlim_cur: memory, rlim_max: memory)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        // If the computer runs out of memory, the kernel kills this process before its parent.
        guard let file = fopen("/proc/self/oom_score_adj", "w") else { return }
        fputs("500", file)
        fclose(file)
    }
}
