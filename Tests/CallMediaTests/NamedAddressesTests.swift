import Testing

@testable import MediaKit

@Suite("Elements that open addresses")
struct NamedAddressesTests {
    @Test(
        "Demuxers of playlists, of session descriptions and of editing projects open what their data names",
        arguments: ["Codec/Demuxer/Adaptive", "Codec/Demuxer/Network/RTP", "Codec/Demuxer/Editing"]
    )
    func openers(_ classes: String) { #expect(NamedAddresses.areOpened(by: classes)) }

    @Test(
        "Demuxers of containers and other elements do not",
        arguments: [
            "Codec/Demuxer", "Codec/Demuxer/Metadata", "Source/Network", "Codec/Depayloader/Network/RTP", "",
        ]
    )
    func others(_ classes: String) { #expect(!NamedAddresses.areOpened(by: classes)) }
}
