internal import CPango
internal import CSDL
internal import FoundationEssentials

/// The flags of regions, which are parts of one image that is read when the first flag is drawn.
///
/// `assets/make-flags.sh` creates the image and its index.
@WindowActor final class Flags {
    /// A flag in the texture of all flags.
    struct Flag {
        let texture: OpaquePointer
        /// The part of the texture, in coordinates 0…1.
        let part: Edges
        /// The size of the part in pixels.
        let width: Int
        let height: Int
    }

    private let renderer: OpaquePointer
    private let folder: String?
    private lazy var flags = read()

    /// Creates the flags that a folder contains; without a folder, there are none.
    init(_ canvas: Canvas, folder: String?) {
        renderer = canvas.renderer
        self.folder = folder
    }

    /// The flag of a region, given by its two-letter code of ISO 3166-1 in upper case; nil if there is none, or if a
    /// file is missing or damaged.
    subscript(region: String) -> Flag? { flags[region] }

    private func read() -> [String: Flag] {
        guard let folder, let index = FlagIndex(folder: folder), let pixels = index.pixels(in: folder),
            let texture = Sprites.makeTexture(
                pixels,
                width: index.imageWidth,
                height: index.imageHeight,
                on: renderer
            )
        else { return [:] }
        // The texture lives as long as the renderer, which destroys it.
        SDL_SetTextureScaleMode(texture, SDL_ScaleModeLinear)
        let flags = index.regions.enumerated().map { number, region in
            let part = index.part(number)
            return (region, Flag(texture: texture, part: part, width: index.width, height: index.height))
        }
        return Dictionary(flags) { first, _ in first }
    }
}

/// The index of the flags in their image, which consists of cells of one size, row by row.
struct FlagIndex: Decodable, Hashable, Sendable {
    /// The maximum number of flags, which is several times the number of existing regions.
    private static let maximumCount = 1024

    /// The size of a cell in pixels.
    let width: Int
    let height: Int
    /// The number of cells in a row.
    let columns: Int
    /// The region of each cell.
    let regions: [String]

    /// Reads the index in a folder; nil if the file is missing or damaged.
    init?(folder: String) {
        guard let data = FileManager.default.contents(atPath: "\(folder)/flags.json"),
            let index = try? JSONDecoder().decode(Self.self, from: data), index.isValid
        else { return nil }
        self = index
    }

    private var isValid: Bool {
        let sides = 1...TextImage.largestSide
        guard sides.contains(width), sides.contains(height), sides.contains(columns),
            (1...Self.maximumCount).contains(regions.count)
        else { return false }
        return sides.contains(imageWidth) && sides.contains(imageHeight)
    }

    var imageWidth: Int { columns * width }
    var imageHeight: Int { (regions.count + columns - 1) / columns * height }

    /// Returns the part of the image that shows a flag, in coordinates 0…1.
    func part(_ number: Int) -> Edges {
        let (left, top) = (number % columns * width, number / columns * height)
        return Edges(
            left: Float(left) / Float(imageWidth),
            top: Float(top) / Float(imageHeight),
            right: Float(left + width) / Float(imageWidth),
            bottom: Float(top + height) / Float(imageHeight)
        )
    }
}

extension FlagIndex {
    /// Reads the image's pixels as `0xAARRGGBB`; nil if the file is missing, damaged or of another size.
    func pixels(in folder: String) -> [UInt32]? {
        let path = "\(folder)/flags.png"
        guard hasExpectedSize(path), let surface = cairo_image_surface_create_from_png(path) else {
            return nil
        }
        defer { cairo_surface_destroy(surface) }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
            cairo_image_surface_get_format(surface) == CAIRO_FORMAT_ARGB32,
            let bytes = cairo_image_surface_get_data(surface)
        else { return nil }
        let stride = Int(cairo_image_surface_get_stride(surface))
        var pixels: [UInt32] = []
        pixels.reserveCapacity(imageWidth * imageHeight)
        for y in 0..<imageHeight {
            let row = UnsafeRawPointer(bytes + y * stride).assumingMemoryBound(to: UInt32.self)
            for x in 0..<imageWidth { pixels.append(Self.divided(row[x])) }
        }
        colorEdges(&pixels)
        return pixels
    }

    /// Checks the size in the file's header, because cairo would allocate memory for any size in it.
    private func hasExpectedSize(_ path: String) -> Bool {
        guard let header = FileManager.default.contents(atPath: path)?.prefix(24), header.count == 24 else {
            return false
        }
        func number(at offset: Int) -> Int {
            header.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        return number(at: 16) == imageWidth && number(at: 20) == imageHeight
    }

    /// Converts a pixel of cairo from premultiplied to straight alpha, which SDL expects.
    private static func divided(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        guard alpha > 0, alpha < 255 else { return pixel }
        func part(_ shift: UInt32) -> UInt32 {
            min(255, ((pixel >> shift & 0xFF) * 255 + alpha / 2) / alpha) << shift
        }
        return alpha << 24 | part(16) | part(8) | part(0)
    }

    /// Gives transparent pixels the color of an adjacent pixel, because a renderer mixes both when it scales.
    private func colorEdges(_ pixels: inout [UInt32]) {
        let original = pixels
        for y in 0..<imageHeight {
            for x in 0..<imageWidth where original[y * imageWidth + x] >> 24 == 0 {
                let place = y * imageWidth + x
                if x > 0, original[place - 1] >> 24 > 0 {
                    pixels[place] = original[place - 1] & 0xFF_FFFF
                } else if x + 1 < imageWidth, original[place + 1] >> 24 > 0 {
                    pixels[place] = original[place + 1] & 0xFF_FFFF
                } else if y > 0, original[place - imageWidth] >> 24 > 0 {
                    pixels[place] = original[place - imageWidth] & 0xFF_FFFF
                } else if y + 1 < imageHeight, original[place + imageWidth] >> 24 > 0 {
                    pixels[place] = original[place + imageWidth] & 0xFF_FFFF
                }
            }
        }
    }
}

extension Painter {
    /// Draws the flag of a region in the middle of the box, as large as possible.
    ///
    /// The region is given by its two-letter code of ISO 3166-1 in upper case.
    ///
    /// - Returns: false if there is no flag of the region.
    @discardableResult package func flag(_ region: String, in box: Box) -> Bool {
        guard let flag = context.flags[region] else { return false }
        let room = rect(box)
        guard room.width > 0, room.height > 0 else { return true }
        let place = room.fitting(width: flag.width, height: flag.height)
        let edges = Edges(
            left: Float(place.x),
            top: Float(place.y),
            right: Float(place.x + place.width),
            bottom: Float(place.y + place.height)
        )
        context.list.image(flag.texture, edges, flag.part, packed(.white))
        return true
    }
}
