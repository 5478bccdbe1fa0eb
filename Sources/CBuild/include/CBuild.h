#pragma once

/// The commit that the program was built from, with a `+` if files had been changed since; empty if it is unknown.
///
/// It is defined in a C file of its own, so that another commit means one small file to compile, and to link.
const char *_Nonnull build_commit(void);
