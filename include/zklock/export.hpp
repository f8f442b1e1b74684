#pragma once

/// Marks a symbol that a shared zklock exports to programs. All other symbols are hidden.
#define ZKLOCK_EXPORT [[gnu::visibility("default")]]
