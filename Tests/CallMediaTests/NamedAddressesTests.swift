import Testing

@testable import MediaKit

@Suite("Elements that open addresses")
struct NamedAddressesTests {
    @Test(
        "Demuxers of playlists, session descriptions and editing projects open the URLs in their data",
        arguments: ["Codec/Demuxer/Adaptive", "Codec/Demuxer/Network/RTP", "Codec/Demuxer/Editing"]
    )
    func openers(_ classes: String) { #expect(NamedAddresses.areOpened(by: classes)) }

    @Test(
        "Demuxers of containers, and other elements, do not open URLs in their data",
        arguments: [
            "Codec/Demuxer", "Codec/Demuxer/Metadata", "Source/Network", "Codec/Depayloader/Network/RTP", "",
        ]
    )
    func others(_ classes: String) { #expect(!NamedAddresses.areOpened(by: classes)) }
}
