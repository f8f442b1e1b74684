# zklock_generate_jute(FILE FOLDER NAMES): compiles records of ZooKeeper's protocol in the language
# Jute to FOLDER/zookeeper.jute.h and zookeeper.jute.c, as ZooKeeper's own compiler does, which needs
# Java. Sets NAMES to the names of the functions.

# The types of Jute: the type in C, and the name that functions of archives have for it.
set(zklock_jute_int "int32_t" Int)
set(zklock_jute_long "int64_t" Long)
set(zklock_jute_boolean "int32_t" Bool)
set(zklock_jute_ustring "char *" String)
set(zklock_jute_buffer "struct buffer" Buffer)

set(zklock_jute_record_header [[
struct @name@ {
@members@};
int serialize_@name@(struct oarchive *out, const char *tag, struct @name@ *v);
int deserialize_@name@(struct iarchive *in, const char *tag, struct @name@ *v);
void deallocate_@name@(struct @name@ *v);
]])

set(zklock_jute_record_source [[

int serialize_@name@(struct oarchive *out, const char *tag, struct @name@ *v) {
  int rc = out->start_record(out, tag);
@writes@  return rc ? rc : out->end_record(out, tag);
}

int deserialize_@name@(struct iarchive *in, const char *tag, struct @name@ *v) {
  int rc = in->start_record(in, tag);
@reads@  return rc ? rc : in->end_record(in, tag);
}

void deallocate_@name@(struct @name@ *v) {
@frees@}
]])

set(zklock_jute_vector_header [[
struct @name@ {
  int32_t count;
  @type@ *data;
};
int serialize_@name@(struct oarchive *out, const char *tag, struct @name@ *v);
int deserialize_@name@(struct iarchive *in, const char *tag, struct @name@ *v);
int allocate_@name@(struct @name@ *v, int32_t size);
int deallocate_@name@(struct @name@ *v);
]])

set(zklock_jute_vector_source [[

int allocate_@name@(struct @name@ *v, int32_t size) {
  v->count = size;
  v->data = size ? calloc(size, sizeof(*v->data)) : 0;
  return 0;
}

int deallocate_@name@(struct @name@ *v) {
  if (v->data) {
    for (int32_t i = 0; i < v->count; i++)
      deallocate_@of@(&v->data[i]);
    free(v->data);
    v->data = 0;
  }
  return 0;
}

int serialize_@name@(struct oarchive *out, const char *tag, struct @name@ *v) {
  int rc = out->start_vector(out, tag, &v->count);
  for (int32_t i = 0; i < v->count && !rc; i++)
    rc = @out@serialize_@of@(out, "data", &v->data[i]);
  return rc ? rc : out->end_vector(out, tag);
}

int deserialize_@name@(struct iarchive *in, const char *tag, struct @name@ *v) {
  int rc = in->start_vector(in, tag, &v->count);
  v->data = calloc(v->count, sizeof(*v->data));
  for (int32_t i = 0; i < v->count && !rc; i++)
    rc = @in@deserialize_@of@(in, "value", &v->data[i]);
  return rc ? rc : in->end_vector(in, tag);
}
]])

# Sets, in the caller, how C has a type: `type`, `of` in the names of its functions, `out` and `in`
# before them, and `is_freed`.
macro(zklock_jute_type jute)
  string(REGEX REPLACE ".*\\." "" of "${jute}")
  if(DEFINED zklock_jute_${of})
    list(GET zklock_jute_${of} 0 type)
    list(GET zklock_jute_${of} 1 of)
    set(out "out->")
    set(in "in->")
    string(REGEX MATCH "^(String|Buffer)$" is_freed ${of})
  else()
    set(type "struct ${of}")
    set(out "")
    set(in "")
    set(is_freed TRUE)
  endif()
endmacro()

# Appends the declarations and the functions of `name`, which is a record or a vector.
macro(zklock_jute_add kind)
  list(APPEND names ${name})
  foreach(part IN ITEMS header source)
    string(CONFIGURE "${zklock_jute_${kind}_${part}}" generated @ONLY)
    string(APPEND ${part} "${generated}")
  endforeach()
endmacro()

function(zklock_generate_jute file folder names_of_functions)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  # A semicolon would end an element of a list.
  string(REGEX REPLACE "//[^\n]*|/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL "class +[A-Za-z0-9]+ *{[^}]*}" classes "${text}")
  set(header "#pragma once\n#include \"recordio.h\"\n")
  set(source "#include \"zookeeper.jute.h\"\n#include <stdlib.h>\n")
  set(names "")
  foreach(class IN LISTS classes)
    string(REGEX MATCHALL "(vector<[A-Za-z.]+>|[A-Za-z.]+ ) *[A-Za-z0-9]+ *," fields "${class}")
    string(REGEX REPLACE "class +([A-Za-z0-9]+).*" "\\1" class "${class}")
    set(members "")
    set(writes "")
    set(reads "")
    set(frees "")
    foreach(field IN LISTS fields)
      string(REGEX MATCH "([^ >]+>?) *([A-Za-z0-9]+) *,$" field "${field}")
      set(jute ${CMAKE_MATCH_1})
      set(field ${CMAKE_MATCH_2})
      if(jute MATCHES "^vector<(.*)>$")
        zklock_jute_type(${CMAKE_MATCH_1})
        set(name ${of}_vector)
        set(jute ${name})
        if(NOT name IN_LIST names)
          zklock_jute_add(vector)
        endif()
      endif()
      zklock_jute_type(${jute})
      string(APPEND members "  ${type} ${field};\n")
      string(APPEND writes "  rc = rc ? rc : ${out}serialize_${of}(out, \"${field}\", &v->${field});\n")
      string(APPEND reads "  rc = rc ? rc : ${in}deserialize_${of}(in, \"${field}\", &v->${field});\n")
      if(is_freed)
        string(APPEND frees "  deallocate_${of}(&v->${field});\n")
      endif()
    endforeach()
    set(name ${class})
    zklock_jute_add(record)
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/zookeeper.jute.h CONTENT "${header}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/zookeeper.jute.c CONTENT "${source}" @ONLY)

  set(functions "")
  foreach(name IN LISTS names)
    foreach(verb IN ITEMS serialize deserialize deallocate)
      list(APPEND functions ${verb}_${name})
    endforeach()
    if(name MATCHES "_vector$")
      list(APPEND functions allocate_${name})
    endif()
  endforeach()
  set(${names_of_functions} ${functions} PARENT_SCOPE)
endfunction()
