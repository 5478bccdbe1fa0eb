#include "context.hpp"

static_assert(sizeof(cig_vertex) == sizeof(ImDrawVert), "vertices are lent as they are");
static_assert(offsetof(cig_vertex, u) == offsetof(ImDrawVert, uv), "vertices are lent as they are");
static_assert(offsetof(cig_vertex, color) == offsetof(ImDrawVert, col), "vertices are lent as they are");
static_assert(sizeof(uint16_t) == sizeof(ImDrawIdx), "indices are lent as they are");

static const char *pasted_text(void *data) {
    auto context = static_cast<cig_context *>(data);
    char *text = context->clipboard.get ? context->clipboard.get() : nullptr;
    context->pasted = text ? text : "";
    if (text) context->clipboard.release(text);
    return context->pasted.c_str();
}

static void copy_text(void *data, const char *text) {
    auto context = static_cast<cig_context *>(data);
    if (context->clipboard.set) context->clipboard.set(text);
}

// The ImGui keys in the order of CIG_KEY_….
static const ImGuiKey keys[CIG_KEY_COUNT] = {
    ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_Home, ImGuiKey_End, ImGuiKey_Delete, ImGuiKey_Backspace,
    ImGuiKey_A, ImGuiKey_C, ImGuiKey_V, ImGuiKey_X, ImGuiKey_Y, ImGuiKey_Z,
};

cig_context *cig_create(cig_clipboard clipboard) {
    auto context = new cig_context;
    context->clipboard = clipboard;
    context->imgui = ImGui::CreateContext();
    auto &io = context->io();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.ConfigWindowsResizeFromEdges = false;
    io.ClipboardUserData = context;
    io.GetClipboardTextFn = pasted_text;
    io.SetClipboardTextFn = copy_text;
    for (auto &index : io.KeyMap) index = -1;
    for (int key = 0; key < CIG_KEY_COUNT; key++) io.KeyMap[keys[key]] = key;
    auto &style = ImGui::GetStyle();
    style.WindowPadding = ImVec2(0, 0);
    style.WindowBorderSize = 0;
    style.WindowMinSize = ImVec2(1, 1);
    style.FrameBorderSize = 0;
    style.Colors[ImGuiCol_FrameBg] = style.Colors[ImGuiCol_NavHighlight] = ImVec4(0, 0, 0, 0);
    return context;
}

void cig_destroy(cig_context *context) {
    ImGui::DestroyContext(context->imgui);
    delete context;
}

void cig_mouse(cig_context *context, float x, float y, bool is_down) {
    auto &io = context->io();
    io.MousePos = ImVec2(x, y);
    io.MouseDown[0] = is_down;
}

void cig_key(cig_context *context, int key, bool is_down, bool ctrl, bool shift) {
    auto &io = context->io();
    if (key >= 0 && key < CIG_KEY_COUNT) io.KeysDown[key] = is_down;
    io.KeyCtrl = ctrl;
    io.KeyShift = shift;
}

void cig_letters(cig_context *context, const char *text) { context->io().AddInputCharactersUTF8(text); }

void cig_frame_begin(cig_context *context, float width, float height, float seconds) {
    auto &io = context->io();
    context->wants_text_cursor = false;
    io.DisplaySize = ImVec2(width, height);
    io.DeltaTime = seconds > 0.0001f ? seconds : 0.0001f;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(io.DisplaySize);
    ImGui::Begin(
        "screen", nullptr,
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings
            | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse
            | ImGuiWindowFlags_NoBringToFrontOnFocus
    );
}

void cig_frame_end(cig_context *context) {
    context->io();
    ImGui::End();
    ImGui::Render();
    context->commands.clear();
    auto data = ImGui::GetDrawData();
    for (int list = 0; list < data->CmdListsCount; list++) {
        auto drawn = data->CmdLists[list];
        for (auto &one : drawn->CmdBuffer) {
            if (one.UserCallback || !one.ElemCount) continue;
            context->commands.push_back({
                {one.ClipRect.x, one.ClipRect.y, one.ClipRect.z, one.ClipRect.w},
                one.TextureId,
                reinterpret_cast<const cig_vertex *>(drawn->VtxBuffer.Data + one.VtxOffset),
                drawn->VtxBuffer.Size - int(one.VtxOffset),
                drawn->IdxBuffer.Data + one.IdxOffset,
                int(one.ElemCount),
            });
        }
    }
}

bool cig_command_at(cig_context *context, int index, cig_command *command) {
    if (index < 0 || size_t(index) >= context->commands.size()) return false;
    *command = context->commands[index];
    return true;
}

static void mix(uint64_t &digest, const void *data, size_t count) {
    auto bytes = static_cast<const unsigned char *>(data);
    uint64_t word = 0;
    for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
        __builtin_memcpy(&word, bytes, sizeof word);
        digest = (digest ^ word) * 0x9E3779B97F4A7C15u;
        digest ^= digest >> 29;
    }
    for (; count; count--) digest = (digest ^ *bytes++) * 0x100000001B3u;
}

uint64_t cig_frame_digest(cig_context *context) {
    context->io();
    uint64_t digest = 0xCBF29CE484222325u;
    auto data = ImGui::GetDrawData();
    if (!data) return digest;
    mix(digest, &data->DisplaySize, sizeof data->DisplaySize);
    for (int list = 0; list < data->CmdListsCount; list++) {
        auto &drawn = *data->CmdLists[list];
        mix(digest, drawn.VtxBuffer.Data, drawn.VtxBuffer.size_in_bytes());
        mix(digest, drawn.IdxBuffer.Data, drawn.IdxBuffer.size_in_bytes());
        for (auto &one : drawn.CmdBuffer) {
            mix(digest, &one.ClipRect, sizeof one.ClipRect);
            mix(digest, &one.TextureId, sizeof one.TextureId);
        }
    }
    return digest;
}
