#include "context.hpp"

#include <imgui/imgui_internal.h>

static int takes_digits(ImGuiInputTextCallbackData *data) {
    return data->EventChar < '0' || data->EventChar > '9';
}

bool cig_edit(cig_context *context, const cig_field *field, char *text, size_t capacity) {
    context->io();
    auto rect = field->rect;
    auto font = context->font(field->font);
    float height = rect.bottom - rect.top;
    ImGui::PushID(int(field->id));
    auto id = ImGui::GetID("##field");
    if (field->takes_focus) GImGui->NavActivateInputId = id;
    if (field->gives_up_focus && ImGui::GetActiveID() == id) ImGui::ClearActiveID();

    ImGui::PushFont(font);
    ImGui::PushStyleVar(
        ImGuiStyleVar_FramePadding,
        ImVec2(field->padding, ImMax(0.0f, ImFloor((height - font->FontSize * font->Scale) / 2)))
    );
    ImGui::PushStyleColor(ImGuiCol_Text, field->color);
    ImGui::PushStyleColor(ImGuiCol_TextDisabled, field->hint_color);
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, field->selection_color);
    ImGui::SetCursorScreenPos(ImVec2(rect.left, rect.top));
    ImGui::SetNextItemWidth(rect.right - rect.left);
    int flags = 0;
    if (field->is_password) flags |= ImGuiInputTextFlags_Password;
    if (field->is_digits) flags |= ImGuiInputTextFlags_CallbackCharFilter;
    ImGui::InputTextWithHint("##field", field->hint, text, capacity, flags, field->is_digits ? takes_digits : nullptr);
    if (ImGui::IsItemHovered()) context->wants_text_cursor = true;
    bool is_active = ImGui::IsItemActive();
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar();
    ImGui::PopFont();
    ImGui::PopID();
    return is_active;
}

bool cig_wants_text_cursor(cig_context *context) { return context->wants_text_cursor; }
