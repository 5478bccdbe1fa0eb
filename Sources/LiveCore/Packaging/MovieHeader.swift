internal import Basics

/// The beginning of an MP4 file whose frames follow in fragments (ISO/IEC 14496-12 §8.8).
enum MovieHeader {
    /// The number of units per second in which the times of video are given.
    static let videoScale: UInt32 = 90_000

    static let (videoID, audioID): (UInt32, UInt32) = (1, 2)

    /// The transformation that leaves pictures as they are (§6.2.2).
    private static let matrix: [UInt32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]
    private static let hundredPercent: UInt32 = 0x1_0000

    /// Returns the boxes before the first fragment of a movie with these tracks.
    static func bytes(_ video: H264Configuration?, _ audio: AACConfiguration?) -> [UInt8] {
        var file = MP4Boxes()
        file.box("ftyp") { box in
            box.add("iso6".utf8)
            box.add(UInt32(0))
            box.add("iso6mp42".utf8)
        }
        file.box("moov") { moov in
            moov.box("mvhd", version: 0) { box in
                box.addZeros(8)
                box.add(UInt32(1000))
                box.add(UInt32(0))
                box.add(hundredPercent)
                box.add(UInt16(0x100))
                box.addZeros(10)
                for number in matrix { box.add(number) }
                box.addZeros(24)
                box.add(audioID + 1)
            }
            if let video { add(video, to: &moov) }
            if let audio { add(audio, to: &moov) }
            moov.box("mvex") { mvex in
                for id in (video == nil ? [] : [videoID]) + (audio == nil ? [] : [audioID]) {
                    mvex.box("trex", version: 0) { box in
                        box.add(id)
                        box.add(UInt32(1))
                        box.addZeros(12)
                    }
                }
            }
        }
        return file.bytes
    }

    private static func add(_ video: H264Configuration, to moov: inout MP4Boxes) {
        let size = video.shownSize ?? Resolution(width: 0, height: 0)
        track(videoID, "vide", scale: videoScale, size: size, to: &moov) { entry in
            entry.box(video.parameterSets.isEmpty ? "avc3" : "avc1") { box in
                addEntryHeader(&box)
                box.addZeros(16)
                box.add(UInt16(clamping: size.width))
                box.add(UInt16(clamping: size.height))
                // 72 dots per inch, both ways
                box.add(UInt32(0x48_0000))
                box.add(UInt32(0x48_0000))
                box.addZeros(4)
                box.add(UInt16(1))
                box.addZeros(32)
                box.add(UInt16(0x18))
                box.add(Int16(-1))
                box.box("avcC") { $0.add(video.record) }
            }
        }
    }

    private static func add(_ audio: AACConfiguration, to moov: inout MP4Boxes) {
        track(audioID, "soun", scale: UInt32(audio.rate), size: nil, to: &moov) { entry in
            entry.box("mp4a") { box in
                addEntryHeader(&box)
                box.addZeros(8)
                box.add(UInt16(audio.channelCount))
                box.add(UInt16(16))
                box.addZeros(4)
                // Higher rates have no room, and are in the configuration.
                box.add(audio.rate < 0x1_0000 ? UInt32(audio.rate) << 16 : 0)
                box.box("esds", version: 0) { $0.add(descriptor(audio.record)) }
            }
        }
    }

    /// Adds the fields with which each sample entry begins (§8.5.2).
    private static func addEntryHeader(_ box: inout MP4Boxes) {
        box.addZeros(6)
        box.add(UInt16(1))
    }

    /// Returns the descriptor of an AAC stream (ISO/IEC 14496-1 §7.2.6.5).
    private static func descriptor(_ configuration: [UInt8]) -> [UInt8] {
        func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            // Four bytes of seven bits, so that each length has room.
            let length = [21, 14, 7].map { UInt8(content.count >> $0 & 0x7F) | 0x80 }
            return [tag] + length + [UInt8(content.count & 0x7F)] + content
        }
        let audio: [UInt8] = [0x40, 0x15]
        let rates = [UInt8](repeating: 0, count: 11)
        return tagged(3, [0, 0, 0] + tagged(4, audio + rates + tagged(5, configuration)) + tagged(6, [2]))
    }

    private static func track(
        _ id: UInt32,
        _ handler: String,
        scale: UInt32,
        size: Resolution?,
        to moov: inout MP4Boxes,
        _ entry: (inout MP4Boxes) -> Void
    ) {
        moov.box("trak") { trak in
            // enabled, and part of the presentation
            trak.box("tkhd", version: 0, flags: 3) { box in
                box.addZeros(8)
                box.add(id)
                box.addZeros(20)
                box.add(UInt16(size == nil ? 0x100 : 0))
                box.addZeros(2)
                for number in matrix { box.add(number) }
                box.add(UInt32(UInt16(clamping: size?.width ?? 0)) << 16)
                box.add(UInt32(UInt16(clamping: size?.height ?? 0)) << 16)
            }
            trak.box("mdia") { mdia in
                mdia.box("mdhd", version: 0) { box in
                    box.addZeros(8)
                    box.add(scale)
                    box.add(UInt32(0))
                    // no language
                    box.add(UInt16(0x55C4))
                    box.addZeros(2)
                }
                mdia.box("hdlr", version: 0) { box in
                    box.addZeros(4)
                    box.add(handler.utf8)
                    box.addZeros(13)
                }
                mdia.box("minf") { minf in
                    if size == nil {
                        minf.box("smhd", version: 0) { $0.addZeros(4) }
                    } else {
                        minf.box("vmhd", version: 0, flags: 1) { $0.addZeros(8) }
                    }
                    minf.box("dinf") { dinf in
                        dinf.box("dref", version: 0) { dref in
                            dref.add(UInt32(1))
                            // The frames are in this file.
                            dref.box("url ", version: 0, flags: 1) { _ in }
                        }
                    }
                    minf.box("stbl") { stbl in
                        stbl.box("stsd", version: 0) { stsd in
                            stsd.add(UInt32(1))
                            entry(&stsd)
                        }
                        stbl.box("stts", version: 0) { $0.addZeros(4) }
                        stbl.box("stsc", version: 0) { $0.addZeros(4) }
                        stbl.box("stsz", version: 0) { $0.addZeros(8) }
                        stbl.box("stco", version: 0) { $0.addZeros(4) }
                    }
                }
            }
        }
    }
}
