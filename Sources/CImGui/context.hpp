#pragma once

#include <string>
#include <vector>

#include <imgui/imgui.h>

#include "CImGui.h"

/// A context of ImGui and what belongs to it.
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

    /// The font as counted when added, or the last one.
    ImFont *font(int index) {
        auto &fonts = io().Fonts->Fonts;
        return fonts[index < 0 || index >= fonts.Size ? fonts.Size - 1 : index];
    }
};
