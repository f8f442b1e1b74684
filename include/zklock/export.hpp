#pragma once

/// Marks what a shared zklock shows to programs; everything else is hidden.
#define ZKLOCK_EXPORT [[gnu::visibility("default")]]
