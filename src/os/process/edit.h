/* A change of the environment that a child is given. */
#ifndef OS_PROCESS_EDIT_H
#define OS_PROCESS_EDIT_H

/* `value` NULL: unset; a name that ends in '*' then unsets all that begin so. The last one about a name wins. */
struct jw_child_edit {
    const char *name, *value;
};

#endif
