package import Basics

/// A painter that takes coordinates in points and aligns every edge to whole pixels.
@WindowActor package final class Painter {
    let context: DrawContext
    private let sprites: Sprites
    /// The scale in pixels per point.
    package private(set) var scale = 1.0
    /// The opacity of everything drawn from now on, 0…1.
    package var opacity = 1.0
    /// The opacity of the whole frame, 0…1, by which `opacity` is multiplied.
    package var presence = 1.0
    /// The displacement of everything drawn from now on, in points.
    package var offset = Point(0, 0)
    private var clips: [Box] = []

    private var list: DrawList { context.list }

    package init(context: DrawContext, sprites: Sprites) {
        self.context = context
        self.sprites = sprites
    }

    func begin(scale: Double, pixels: (width: Int, height: Int)) {
        self.scale = scale
        list.begin(width: Float(pixels.width), height: Float(pixels.height))
        (opacity, presence, offset, clips) = (1, 1, Point(0, 0), [])
    }

    // MARK: - Shapes

    package func fill(_ box: Box, _ color: Color) {
        list.fill(pixels(box), packed(color))
    }

    /// Fills a rectangle with rounded corners; the radius is limited to half of the shorter side.
    package func fill(_ box: Box, radius: Double, _ color: Color) {
        let rect = pixels(box)
        let corner = Int(min(radius * scale, Double(rect.shortSide) / 2).rounded(.down))
        guard corner > 0 else { return fill(box, color) }
        guard let texture = sprites.texture(of: .disc(diameter: 2 * corner)) else { return }
        nine(texture, rect, corner: Float(corner), color, isFilled: true)
    }

    package func stroke(_ box: Box, radius: Double, width: Double = 1, _ color: Color) {
        let rect = pixels(box)
        let thickness = max(1, Int((width * scale).rounded()))
        let corner = max(thickness, Int(min(radius * scale, Double(rect.shortSide) / 2).rounded(.down)))
        let sprite = Sprite.ring(diameter: 2 * corner, thickness: thickness)
        guard let texture = sprites.texture(of: sprite) else { return }
        corners(texture, rect, Float(corner), color)
        let (edge, inner) = (Float(thickness), Float(corner))
        let (left, right) = (rect.left + inner, rect.right - inner)
        let (top, bottom) = (rect.top + inner, rect.bottom - inner)
        let strips = [
            Edges(left: left, top: rect.top, right: right, bottom: rect.top + edge),
            Edges(left: left, top: rect.bottom - edge, right: right, bottom: rect.bottom),
            Edges(left: rect.left, top: top, right: rect.left + edge, bottom: bottom),
            Edges(left: rect.right - edge, top: top, right: rect.right, bottom: bottom),
        ]
        for strip in strips where strip.right > strip.left && strip.bottom > strip.top {
            list.fill(strip, packed(color))
        }
    }

    /// Draws the shadow of a box that is raised by `height` points.
    package func shadow(of box: Box, radius: Double, height: Double, _ color: Color) {
        let blur = max(1, Int((height * scale).rounded()))
        let corner = max(1, Int((radius * scale).rounded()))
        let rect = pixels(box.moved(y: height / 3)).grown(by: Float(blur))
        let sprite = Sprite.glow(diameter: 2 * corner, blur: blur)
        guard let texture = sprites.texture(of: sprite) else { return }
        nine(texture, rect, corner: Float(corner + blur), color, isFilled: false)
    }

    package func disc(_ center: Point, diameter: Double, _ color: Color) {
        let rect = pixels(Box(center: center, width: diameter, height: diameter))
        guard let texture = sprites.texture(of: .disc(diameter: Int(rect.shortSide))) else { return }
        list.image(texture, rect, .whole, packed(color))
    }

    package func glyph(_ glyph: Glyph, center: Point, size: Double, _ color: Color) {
        draw(.glyph(glyph, side: Int(max(1, (size * scale).rounded()))), center: center, color)
    }

    /// Draws a video with rounded corners.
    package func video(_ texture: VideoTexture, in rect: Rect, radius: Double) {
        list.video(texture, in: rect, radius: Int((radius * scale).rounded(.down)))
    }

    /// Draws a picture in the middle of the box, as large as possible; the corners are rounded if it fills the box.
    package func picture(_ picture: VideoFrame, in box: Box, radius: Double) {
        let place = rect(box)
        let fitted = place.fitting(width: picture.shape.width, height: picture.shape.height)
        guard fitted.width > 0, fitted.height > 0 else { return }
        let radius = fitted == place ? radius * scale : 0
        let size = Resolution(width: fitted.width, height: fitted.height)
        let identity = UInt64(UInt(bitPattern: ObjectIdentifier(picture)))
        switch context.pictures.texture(of: picture, RoundedPicture(size: size, radius: radius)) {
        case .rounded(let texture)?:
            list.image(texture, Edges(fitted), .whole, identity: identity, packed(.white))
        case .video(let texture)?:
            list.video(texture, in: fitted, radius: Int(radius.rounded(.down)), identity: identity)
        case nil: break
        }
    }

    /// Draws a picture that changes often, so that it fills the box; the parts outside the box are clipped.
    package func picture(_ picture: VideoFrame, changingIn control: ControlID, filling box: Box) {
        guard let texture = context.pictures.texture(of: picture, changingIn: control) else { return }
        let (width, height) = (Double(texture.width), Double(texture.height))
        let scale = max(box.width / width, box.height / height)
        let whole = Box(center: box.center, width: width * scale, height: height * scale)
        clip(box) {
            list.video(
                texture,
                in: rect(whole),
                radius: 0,
                identity: UInt64(UInt(bitPattern: ObjectIdentifier(picture)))
            )
        }
    }

    /// Draws an arc of a circle's outline; angles are in radians, clockwise from the right.
    ///
    /// - Parameters:
    ///   - center: The center of the circle.
    ///   - radius: The radius of the middle of the line.
    ///   - from: The angle at which the arc begins.
    ///   - to: The angle at which it ends.
    ///   - width: The width of the line.
    ///   - color: The color.
    package func arc(
        _ center: Point,
        radius: Double,
        from: Double,
        to: Double,
        width: Double,
        _ color: Color
    ) {
        // Angles are rounded to steps, because one texture for each angle of an animation would be too many.
        let steps = Double(Sprite.arcSteps)
        let turn = 2 * Double.pi
        let length = Int(((to - from) / turn * steps).rounded())
        let start = Int((from / turn * steps).rounded())
        let sprite = Sprite.arc(
            diameter: Int(((2 * radius + width) * scale).rounded(.up)),
            thickness: max(1, Int((width * scale).rounded())),
            start: (start % Sprite.arcSteps + Sprite.arcSteps) % Sprite.arcSteps,
            length: min(max(length, 0), Sprite.arcSteps)
        )
        draw(sprite, center: center, color)
    }

    private func draw(_ sprite: Sprite, center: Point, _ color: Color) {
        guard let texture = sprites.texture(of: sprite) else { return }
        let side = Float(sprite.side)
        let center = pixels(Box(center: center, width: 0, height: 0))
        let (left, top) = ((center.left - side / 2).rounded(), (center.top - side / 2).rounded())
        let rect = Edges(left: left, top: top, right: left + side, bottom: top + side)
        list.image(texture, rect, .whole, packed(color))
    }

    // MARK: - Clipping

    /// Clips everything drawn inside `body` to the box.
    func clip(_ box: Box, _ body: () -> Void) {
        clips.append(box)
        list.pushClip(pixels(box))
        body()
        list.popClip()
        clips.removeLast()
    }

    /// Checks whether the point is inside all active clip rectangles.
    func isUnclipped(_ point: Point) -> Bool { clips.allSatisfy { $0.contains(point) } }

    // MARK: - Pixels

    func pixels(_ box: Box) -> Edges {
        Edges(
            left: Float(((box.x + offset.x) * scale).rounded()),
            top: Float(((box.y + offset.y) * scale).rounded()),
            right: Float(((box.right + offset.x) * scale).rounded()),
            bottom: Float(((box.bottom + offset.y) * scale).rounded())
        )
    }

    package func rect(_ box: Box) -> Rect {
        let edges = pixels(box)
        return Rect(
            x: Int(edges.left),
            y: Int(edges.top),
            width: Int(edges.right - edges.left),
            height: Int(edges.bottom - edges.top)
        )
    }

    func pixels(_ point: Point) -> Point {
        Point((point.x + offset.x) * scale, (point.y + offset.y) * scale)
    }

    func packed(_ color: Color) -> UInt32 {
        let alpha = UInt32((Double(color.alpha) * min(max(opacity * presence, 0), 1)).rounded())
        return alpha << 24 | UInt32(color.blue) << 16 | UInt32(color.green) << 8 | UInt32(color.red)
    }
}

// Nine-slice drawing: the corners are the quarters of a texture, and the parts between them are filled.

extension Painter {
    /// Draws the corners with the quarters of the texture, and the center in plain color.
    ///
    /// The edges are plain, too, if `isFilled`; otherwise they are stretched from the middle of the texture.
    func nine(
        _ texture: OpaquePointer,
        _ rect: Edges,
        corner: Float,
        _ color: Color,
        isFilled: Bool
    ) {
        corners(texture, rect, corner, color)
        let (left, right) = (rect.left + corner, rect.right - corner)
        let (top, bottom) = (rect.top + corner, rect.bottom - corner)
        let packed = packed(color)
        if bottom > top, isFilled {
            list.fill(
                Edges(left: rect.left, top: top, right: rect.right, bottom: bottom),
                packed
            )
        }
        if right > left, isFilled {
            list.fill(Edges(left: left, top: rect.top, right: right, bottom: top), packed)
            list.fill(
                Edges(left: left, top: bottom, right: right, bottom: rect.bottom),
                packed
            )
        }
        guard !isFilled, right > left, bottom > top else { return }
        list.fill(Edges(left: left, top: top, right: right, bottom: bottom), packed)
        // One pixel in the middle of the texture: a part of zero width would be drawn in plain color.
        let (middle, next) = (Float(0.5), 0.5 + 0.5 / corner)
        // Along its side, each part is cut here: SDL draws nothing of a part whose rest is less than a pixel of the texture.
        let clip = list.clip ?? rect
        let (shownLeft, shownRight) = (max(left, clip.left), min(right, clip.right))
        let (shownTop, shownBottom) = (max(top, clip.top), min(bottom, clip.bottom))
        let sides = [
            (
                Edges(left: shownLeft, top: rect.top, right: shownRight, bottom: top),
                Edges(left: middle, top: 0, right: next, bottom: middle)
            ),
            (
                Edges(left: shownLeft, top: bottom, right: shownRight, bottom: rect.bottom),
                Edges(left: middle, top: middle, right: next, bottom: 1)
            ),
            (
                Edges(left: rect.left, top: shownTop, right: left, bottom: shownBottom),
                Edges(left: 0, top: middle, right: middle, bottom: next)
            ),
            (
                Edges(left: right, top: shownTop, right: rect.right, bottom: shownBottom),
                Edges(left: middle, top: middle, right: 1, bottom: next)
            ),
        ]
        for (side, part) in sides {
            list.image(texture, side, part, packed)
        }
    }

    func corners(_ texture: OpaquePointer, _ rect: Edges, _ corner: Float, _ color: Color) {
        for isRight in [false, true] {
            for isLow in [false, true] {
                let left = isRight ? rect.right - corner : rect.left
                let top = isLow ? rect.bottom - corner : rect.top
                let part = Edges(
                    left: isRight ? 0.5 : 0,
                    top: isLow ? 0.5 : 0,
                    right: isRight ? 1 : 0.5,
                    bottom: isLow ? 1 : 0.5
                )
                let place = Edges(left: left, top: top, right: left + corner, bottom: top + corner)
                list.image(texture, place, part, packed(color))
            }
        }
    }
}
