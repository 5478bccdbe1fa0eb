#pragma once

#include <string>
#include <vector>

#include <imgui/imgui.h>

#include "CImGui.h"

/// An ImGui context and the data that belongs to it.
struct cig_context {
    ImGuiContext *imgui = nullptr;
    cig_clipboard clipboard = {};
    std::string pasted;
    std::vector<cig_command> commands;
    bool wants_text_cursor = false;

    ImGuiIO &io() {
        ImGui::SetCurrentContext(imgui);
        return ImGui::GetIO();
    }

    /// The font at this index, in the order of addition; the last font if the index is out of range.
    ImFont *font(int index) {
        auto &fonts = io().Fonts->Fonts;
        return fonts[index < 0 || index >= fonts.Size ? fonts.Size - 1 : index];
    }
};
