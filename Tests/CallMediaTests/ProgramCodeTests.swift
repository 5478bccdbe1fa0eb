import Testing

@testable import CallMedia

@Suite("Memory mappings of the program's code")
struct ProgramCodeTests {
    @Test("Only executable mappings of the program itself are found, even if its path contains spaces")
    func ranges() {
        let maps = """
            1000-3000 r--p 00000000 fe:00 12    /opt/my programs/callrunner
            3000-5000 r-xp 00002000 fe:00 12    /opt/my programs/callrunner
            5000-6000 r--p 00004000 fe:00 12    /opt/my programs/callrunner
            6000-7000 rw-p 00005000 fe:00 12    /opt/my programs/callrunner
            7000-8000 r-xp 00000000 fe:00 13    /usr/lib/libc.so.6
            8000-9000 rw-p 00000000 00:00 0
            9000-a000 r-xp 00000000 00:00 0     [vdso]
            nonsense
            """
        #expect(ProgramCode.ranges(of: "/opt/my programs/callrunner", in: maps) == [0x3000..<0x5000])
        #expect(ProgramCode.ranges(of: "/opt", in: maps).isEmpty)
    }
}
