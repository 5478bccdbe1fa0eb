#pragma once

/// The Git commit of the build, with a `+` if there were uncommitted changes; empty if it is unknown.
///
/// The definition has its own C file, so that only this small file is compiled again after a commit.
const char *_Nonnull build_commit(void);
