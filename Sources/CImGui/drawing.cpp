#include "context.hpp"

static ImDrawList &list(cig_context *context) {
    context->io();
    return *ImGui::GetWindowDrawList();
}

void cig_fill(cig_context *context, cig_rect rect, uint32_t color) {
    list(context).AddRectFilled(ImVec2(rect.left, rect.top), ImVec2(rect.right, rect.bottom), color);
}

void cig_image(cig_context *context, void *texture, cig_rect rect, cig_rect uv, uint32_t color) {
    list(context).AddImage(
        texture, ImVec2(rect.left, rect.top), ImVec2(rect.right, rect.bottom), ImVec2(uv.left, uv.top),
        ImVec2(uv.right, uv.bottom), color
    );
}

void cig_arc(
    cig_context *context, float x, float y, float radius, float from, float to, float thickness, uint32_t color
) {
    auto &drawn = list(context);
    drawn.PathArcTo(ImVec2(x, y), radius, from, to);
    drawn.PathStroke(color, ImDrawFlags_None, thickness);
}

void cig_text(
    cig_context *context, int font, float x, float y, const char *text, size_t count, uint32_t color
) {
    auto chosen = context->font(font);
    list(context).AddText(chosen, chosen->FontSize * chosen->Scale, ImVec2(x, y), color, text, text + count);
}

void cig_clip_push(cig_context *context, cig_rect rect) {
    context->io();
    ImGui::PushClipRect(ImVec2(rect.left, rect.top), ImVec2(rect.right, rect.bottom), true);
}

void cig_clip_pop(cig_context *context) {
    context->io();
    ImGui::PopClipRect();
}
