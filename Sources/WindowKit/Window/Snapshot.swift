internal import CSDL

/// The pixels of a window at one moment.
package struct Snapshot: Hashable, Sendable, CustomStringConvertible {
    package let width: Int
    package let height: Int
    /// The red, green and blue values of each pixel, row by row from the top.
    package let rgb: [UInt8]

    package var description: String { "\(width) × \(height) pixels" }

    /// The color of the pixel in column `x` and row `y`, which must be within the bounds.
    package subscript(x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) {
        let offset = (y * width + x) * 3
        return (rgb[offset], rgb[offset + 1], rgb[offset + 2])
    }

    /// Writes a BMP file; false if it cannot be written.
    package func writeBMP(to path: String) -> Bool {
        var pixels = rgb
        return pixels.withUnsafeMutableBytes { bytes in
            let format = SDL_PIXELFORMAT_RGB24.rawValue
            guard
                let surface = SDL_CreateRGBSurfaceWithFormatFrom(
                    bytes.baseAddress,
                    Int32(width),
                    Int32(height),
                    24,
                    Int32(width * 3),
                    format
                )
            else { return false }
            defer { SDL_FreeSurface(surface) }
            return SDL_SaveBMP_RW(surface, SDL_RWFromFile(path, "wb"), 1) == 0
        }
    }
}

extension Canvas {
    /// Reads back the pixels that have been drawn but not yet presented; nil if the renderer cannot be read.
    package func snapshot() -> Snapshot? {
        let (width, height) = size
        guard width > 0, height > 0 else { return nil }
        var rgb = [UInt8](repeating: 0, count: width * height * 3)
        let format = SDL_PIXELFORMAT_RGB24.rawValue
        guard SDL_RenderReadPixels(renderer, nil, format, &rgb, Int32(width * 3)) == 0 else { return nil }
        return Snapshot(width: width, height: height, rgb: rgb)
    }
}
