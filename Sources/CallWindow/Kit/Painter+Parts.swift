internal import CImGui

// Nine-slice drawing: a texture's quarters for the corners, and the parts between them.

extension Painter {
    /// Draws the corners with the texture's quarters, and the rest with its middle or with plain color.
    func nine(
        _ texture: OpaquePointer,
        _ rect: cig_rect,
        corner: Float,
        _ color: Color,
        isFilled: Bool
    ) {
        corners(texture, rect, corner, color)
        let (left, right) = (rect.left + corner, rect.right - corner)
        let (top, bottom) = (rect.top + corner, rect.bottom - corner)
        let packed = packed(color)
        if bottom > top, isFilled {
            cig_fill(
                imgui,
                cig_rect(left: rect.left, top: top, right: rect.right, bottom: bottom),
                packed
            )
        }
        if right > left, isFilled {
            cig_fill(imgui, cig_rect(left: left, top: rect.top, right: right, bottom: top), packed)
            cig_fill(
                imgui,
                cig_rect(left: left, top: bottom, right: right, bottom: rect.bottom),
                packed
            )
        }
        guard !isFilled, right > left, bottom > top else { return }
        cig_fill(imgui, cig_rect(left: left, top: top, right: right, bottom: bottom), packed)
        // The pixel in the middle: a part without any width would be taken for plain color.
        let (middle, next) = (Float(0.5), 0.5 + 0.5 / corner)
        let sides = [
            (
                cig_rect(left: left, top: rect.top, right: right, bottom: top),
                cig_rect(left: middle, top: 0, right: next, bottom: middle)
            ),
            (
                cig_rect(left: left, top: bottom, right: right, bottom: rect.bottom),
                cig_rect(left: middle, top: middle, right: next, bottom: 1)
            ),
            (
                cig_rect(left: rect.left, top: top, right: left, bottom: bottom),
                cig_rect(left: 0, top: middle, right: middle, bottom: next)
            ),
            (
                cig_rect(left: right, top: top, right: rect.right, bottom: bottom),
                cig_rect(left: middle, top: middle, right: 1, bottom: next)
            ),
        ]
        for (side, part) in sides {
            cig_image(imgui, UnsafeMutableRawPointer(texture), side, part, packed)
        }
    }

    func corners(_ texture: OpaquePointer, _ rect: cig_rect, _ corner: Float, _ color: Color) {
        for isRight in [false, true] {
            for isLow in [false, true] {
                let left = isRight ? rect.right - corner : rect.left
                let top = isLow ? rect.bottom - corner : rect.top
                let part = cig_rect(
                    left: isRight ? 0.5 : 0,
                    top: isLow ? 0.5 : 0,
                    right: isRight ? 1 : 0.5,
                    bottom: isLow ? 1 : 0.5
                )
                let place = cig_rect(left: left, top: top, right: left + corner, bottom: top + corner)
                cig_image(imgui, UnsafeMutableRawPointer(texture), place, part, packed(color))
            }
        }
    }
}
