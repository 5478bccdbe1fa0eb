/// Runs libFuzzer with `body` as its target, and never returns.
///
/// The program's arguments are libFuzzer's: corpus folders and `-flag=value`.
package func fuzz(_ body: @escaping (UnsafeRawBufferPointer) -> Void) -> Never {
    FuzzBody.current = body
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    let code = runDriver(&count, &arguments) { bytes, count in
        FuzzBody.current(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
    }
    exit(code)
}

internal import Glibc

private enum FuzzBody {
    // libFuzzer calls back on the thread that started it.
    nonisolated(unsafe) static var current: (UnsafeRawBufferPointer) -> Void = { _ in }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
