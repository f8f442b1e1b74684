#pragma once

#include <zklock/any_lock.hpp>
#include <zklock/client.hpp>
#include <zklock/hold.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace zklock::detail {

// Each function starts the query of a public function, which documents the query. The source file
// has the name of the query.

// breaking.cpp
void start_breaking(const lock_request& request, const std::optional<participant>& only,
                    handler<count_signature> handler);

// holder_list.cpp
void start_holder_list(const lock_request& request, handler<participants_signature> handler);

// holder_watch.cpp
void start_holder_watch(const lock_request& request, const std::optional<participant>& known,
                        handler<holder_signature> handler);

// lock_search.cpp
void start_lock_search(const std::shared_ptr<lock_calls>& client, const std::string& root,
                       std::size_t levels, handler<found_locks_signature> handler);

// own_locks.cpp
void start_held_locks(const std::shared_ptr<lock_calls>& client,
                      handler<held_locks_signature> handler);
void start_awaited_locks(const std::shared_ptr<lock_calls>& client,
                         handler<awaited_locks_signature> handler);

// participants.cpp
void start_participants(const lock_request& request, handler<participants_signature> handler);
void start_waiter_count(const lock_request& request, handler<count_signature> handler);

// release_watch.cpp. The hold must not be empty.
void start_release_watch(acquisition& held, handler<request_signature> handler);

// revocation.cpp
void start_revocation(const lock_request& request, const participant& target,
                      handler<plain_signature> handler);

} // namespace zklock::detail
