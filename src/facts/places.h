/* Folders in which CUDA software is installed: src/facts/tables/places.csv. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum jw_place_kind {
    JW_PLACE_TREE,   /* a folder with everything below */
    JW_PLACE_FOLDER, /* a folder without its subfolders */
    JW_PLACE_PREFIX, /* the prefix of a Python */
    JW_PLACE_CONDA,  /* a conda installation or one of its environments, which adds all of them */
    JW_PLACE_APP,    /* a folder of one program, with some levels below, whose name is its own */
    JW_PLACE_LIST    /* a text file with the path of an environment in each line */
};

struct jw_place_row {
    bool shell; /* a variable of a shell that says where its programs find software */
    bool on_linux, on_windows;
    enum jw_place_kind kind;
    /* begins with $VARIABLE, ~ or / (below the sysroot); a component may contain * */
    const char *pattern;
    const char *package; /* of the files there; NULL: the folder below it names it */
};

extern const struct jw_place_row jw_facts_places[];
extern const size_t jw_facts_places_n;
