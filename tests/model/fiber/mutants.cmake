# The models of stacks, and the mutants that they must detect.
set(locked ${CMAKE_CURRENT_LIST_DIR}/locked)
set(stack_sources jobs/fiber/stack_class.cpp jobs/fiber/stack_pool.cpp)
list(TRANSFORM stack_sources PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE all_stack_sources)
jobs_add_models(model_stack fiber/stack_models.cpp ${all_stack_sources})
foreach(target stack_models model_stack)
  target_include_directories(${target} BEFORE PRIVATE ${locked})
endforeach()

# jobs_add_stack_mutant(<name> <file> FROM <text> TO <text>): mutates a file of jobs/fiber.
function(jobs_add_stack_mutant name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;TO" "")
  list(REMOVE_ITEM stack_sources jobs/fiber/${file})
  jobs_add_mutant(stack_${name} fiber/stack_models.cpp jobs/fiber/${file}
    FROM "${arg_FROM}" TO "${arg_TO}" WITH ${stack_sources})
  target_include_directories(mutant_stack_${name} BEFORE PRIVATE ${locked})
endfunction()
jobs_add_stack_mutant(is_trimmed_after_its_return stack_pool.cpp
  FROM "  if (trims_) os::discard_pages(stack.base, stack.size);
  {
    const std::scoped_lock lock(mutex_);
    returned_.push_back(stack.base);
    --in_use_;
  }"
  TO "  {
    const std::scoped_lock lock(mutex_);
    returned_.push_back(stack.base);
    --in_use_;
  }
  if (trims_) os::discard_pages(stack.base, stack.size);")
jobs_add_stack_mutant(is_trimmed_without_the_lock stack_pool.cpp
  FROM "void StackPool::trim() noexcept {
  const std::scoped_lock lock(mutex_);"
  TO "void StackPool::trim() noexcept {")
jobs_add_stack_mutant(list_is_copied_before_the_trim stack_pool.cpp
  FROM "void StackPool::trim() noexcept {
  const std::scoped_lock lock(mutex_);"
  TO "void StackPool::trim() noexcept {
  HeapVector<std::byte*> returned_;
  {
    const std::scoped_lock lock(mutex_);
    returned_ = this->returned_;
  }")
jobs_add_stack_mutant(run_of_neighbours_has_a_gap stack_pool.cpp
  FROM "returned_[i] + stride_ == returned_[i - 1]) ++i;"
  TO "returned_[i] < returned_[i - 1]) ++i;")
jobs_add_stack_mutant(trim_reaches_below_the_prepared_stacks stack_pool.cpp
  FROM "const std::size_t next = slab.stacks - (capacity_ - carved_);"
  TO "const std::size_t next = slab.stacks - (capacity_ - carved_) - 1;")
jobs_add_stack_mutant(prepared_stacks_are_trimmed_without_the_lock stack_pool.cpp
  FROM "    os::discard_pages(lowest, (prepared_ - carved_ - 1) * stride_ + stack_size_);"
  TO "    const std::size_t size = (prepared_ - carved_ - 1) * stride_ + stack_size_;
    mutex_.unlock();
    os::discard_pages(lowest, size);
    mutex_.lock();")
jobs_add_stack_mutant(stays_on_the_list stack_pool.cpp
  FROM "returned_.pop_back();"
  TO "")
jobs_add_stack_mutant(is_lost_if_trimmed stack_pool.cpp
  FROM "    returned_.push_back(stack.base);
    --in_use_;"
  TO "    if (!trims_) returned_.push_back(stack.base);
    --in_use_;")
jobs_add_stack_mutant(limit_is_read_and_written stack_pool.hpp
  FROM "while (!in_use_.compare_exchange_weak(now, now + 1, std::memory_order_relaxed,
                                            std::memory_order_relaxed));"
  TO "while (in_use_.store(now + 1, std::memory_order_relaxed), false);")
jobs_add_stack_mutant(limit_counts_refused_ones stack_pool.hpp
  FROM "if (max_ != 0 && now >= max_) return false;
    } while (!in_use_.compare_exchange_weak(now, now + 1, std::memory_order_relaxed,
                                            std::memory_order_relaxed));
    return true;"
  TO "now = in_use_.fetch_add(1, std::memory_order_relaxed);
    } while (false);
    return max_ == 0 || now < max_;")
