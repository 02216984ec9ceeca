#pragma once

/* A variable that frees itself where its block ends: of the type jw_buf by jw_buf_free. */
#define FREED(type) __attribute__((cleanup(type##_free))) struct type
