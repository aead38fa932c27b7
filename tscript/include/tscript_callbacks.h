/* Operator callbacks in C: what functions registered with tscript.add_native_callback() get.
 *
 *     void *enter(const ts_record *record, void *user_data);
 *     void exit(const ts_record *record, void *context, void *user_data);
 *
 * enter runs when an operator begins; what it returns comes back to exit as context. Both run on the thread of the
 * operator, with or without Python's global interpreter lock: they must use nothing of Python, must not raise, and must
 * return soon. A record and everything it points to is valid until the function returns; names, files and kinds are valid
 * for the life of the process. Operators that run inside a callback are not observed.
 *
 * Fields are only ever added behind the last one.
 */
#ifndef TSCRIPT_CALLBACKS_H
#define TSCRIPT_CALLBACKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Scopes. */
enum {
    TS_SCOPE_FUNCTION = 0, /* a scripted function */
    TS_SCOPE_OPERATOR = 1, /* a tensor operator, or a fused group of them */
    TS_SCOPE_USER = 2,     /* tscript.record_function */
    TS_SCOPE_COMPILE = 3,  /* a specialisation being compiled */
    TS_SCOPE_LOAD = 4,     /* an archive being loaded */
    TS_SCOPE_BACKWARD = 5
};

/* Kinds of values. A cell is 64 bits. */
enum {
    TS_NONE = 0,
    TS_INT = 1,    /* the int */
    TS_FLOAT = 2,  /* the bits of a double */
    TS_BOOL = 3,   /* 0 or 1 */
    TS_TENSOR = 4, /* address of a ts_tensor, borrowed */
    TS_DTYPE = 5,  /* the dtype's number */
    TS_TUPLE = 6,  /* the number of elements, whose cells follow */
    TS_SIZE = 7,   /* address of a ts_tensor of int64 that holds the elements */
    TS_STR = 8,    /* address of NUL-terminated UTF-8 */
    TS_OBJECT = 9, /* a Python object: do not touch */
    TS_VALUE = 10, /* a string, container or instance: do not touch; its address is in the next cell, of the same kind */
    TS_RESULT = 11, /* where a result of that kind goes: do not touch */
    TS_ARRAY = 12   /* address of the ts_tensor of an array, borrowed */
};

/* Numbers of dtypes are PyTorch's: uint8 0, int8 1, int16 2, int32 3, int64 4, float32 6, float64 7, bool 11. */
typedef struct ts_tensor {
    int64_t refcount;
    const void *typeinfo;
    const void *storage;
    void *data;
    int32_t dtype;
    int32_t ndim;
    int64_t numel;
    const void *pyobject;
    int64_t flags;
    int64_t sizes_and_strides[]; /* ndim sizes, then ndim strides in elements */
} ts_tensor;

/* Where something is observed. */
typedef struct ts_site {
    const char *name;     /* of the operator; of a fused group "fused_" and its members */
    const char *overload; /* may be "" */
    const char *file;     /* of the scripted source; "" when called from Python directly */
    const char *function;
    int32_t line;
    int32_t scope;
    int32_t num_inputs; /* -1: as many as the record has cells */
    int32_t num_members;
    const char *const *members; /* names of the operators of a fused group */
    const char *module; /* path of the module whose code it is, in that of the function; "" */
} ts_site;

/* One run. */
typedef struct ts_record {
    const ts_site *site;
    int64_t id;          /* unique in the process */
    int64_t sequence_nr; /* -1 */
    int64_t thread_id;   /* as threading.get_ident() says it */
    const uint8_t *kinds;
    const int64_t *inputs; /* num_cells cells of these kinds; NULL unless some callback needs inputs */
    int64_t num_cells;
    const uint8_t *output_kinds;
    const int64_t *outputs; /* NULL unless at exit, the operator succeeded, and some callback needs outputs */
    int64_t num_output_cells;
    int64_t failed; /* at exit: the operator raised */
} ts_record;

typedef void *(*ts_enter)(const ts_record *record, void *user_data);
typedef void (*ts_exit)(const ts_record *record, void *context, void *user_data);

#ifdef __cplusplus
}
#endif

#endif
