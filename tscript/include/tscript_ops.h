/* tscript_ops.h: operators for tscript, written in C (or in anything that can export C functions).
 *
 * An operator with the schema  mylib::scale(Tensor x, float by) -> Tensor  is a function
 *
 *     TsStatus scale(TsContext *ctx, const TsApi *api, TsTensor *x, double by, TsTensor **out);
 *
 * It takes the context of the call, the table of functions below, its arguments, and one out pointer for each value it
 * returns (a tuple has one for each element, None has none). It returns TS_OK, or what `raise` or a function of the
 * table that failed has returned. It needs no library to link with.
 *
 *     schema      arguments                                     result
 *     Tensor      TsTensor *, borrowed                          TsTensor **: a new reference
 *     Tensor?     TsTensor *, NULL for None
 *     int         int64_t                                       int64_t *
 *     int?        int64_t, TS_NONE for None
 *     float       double                                        double *
 *     float?      double, int64_t (1; 0 for None)
 *     bool        int8_t, 0 or 1                                int8_t *
 *     bool?       int8_t, -1 for None
 *     dtype       int32_t, a TS_* code; dtype? has -1 for None
 *     str         const char *, UTF-8, NUL-terminated
 *     Scalar      double, int64_t: the number as both; Scalar? has a third, int64_t (1; 0 for None)
 *     int[]       const int64_t *, int64_t length; length -1 for None
 *     float[]     const double *, int64_t length
 *     Tensor[]    TsTensor *const *, int64_t length
 *
 * Rules:
 *   - It may be called from any thread, and from several at once. The GIL is not held (or may not be), so it must not use
 *     Python without taking it.
 *   - Tensors that are passed are alive until it returns; `retain` keeps one longer. They may be strided, empty, 0-d.
 *   - It writes only to tensors that its schema marks, Tensor(a!) or mutates_args.
 *   - A tensor it returns has memory of its own: made by `tensor_alloc`, or a copy by `tensor_contiguous`.
 *   - When it fails, out pointers are ignored; it releases what it has made.
 *   - `ctx` belongs to the call: it is not kept, and not used from other threads.
 *
 * A result that is missing, of another dtype or rank than declared, or over the memory of an argument raises.
 */
#ifndef TSCRIPT_OPS_H
#define TSCRIPT_OPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSCRIPT_OPS_VERSION 1

typedef int32_t TsStatus;
#define TS_OK 0

#define TS_NONE INT64_MIN

/* Element types: TsTensor.dtype. */
enum {
  TS_UINT8 = 0,
  TS_INT8 = 1,
  TS_INT16 = 2,
  TS_INT32 = 3,
  TS_INT64 = 4,
  TS_FLOAT32 = 6,
  TS_FLOAT64 = 7,
  TS_BOOL = 11,
};

typedef struct TsContext TsContext;

typedef struct TsStorage {
  int64_t refcount; /* do not touch */
  const void *typeinfo;
  void *data;
  int64_t nbytes;
  int64_t version; /* add 1 after writing to a tensor over it */
  void *owner;
  int64_t flags; /* bit 0: read-only */
  int64_t reserved;
} TsStorage;

typedef struct TsTensor {
  int64_t refcount; /* do not touch: use retain and release */
  const void *typeinfo;
  TsStorage *storage;
  void *data; /* the first element */
  int32_t dtype;
  int32_t ndim;
  int64_t numel;
  void *pyobject;
  int64_t flags; /* bit 0: row-major without gaps */
  /* int64_t sizes[ndim], then int64_t strides[ndim], in elements */
} TsTensor;

static inline const int64_t *ts_sizes(const TsTensor *t) { return (const int64_t *)(t + 1); }
static inline const int64_t *ts_strides(const TsTensor *t) { return ts_sizes(t) + t->ndim; }
static inline int ts_is_contiguous(const TsTensor *t) { return (int)(t->flags & 1); }
static inline int ts_is_readonly(const TsTensor *t) { return (int)(t->storage->flags & 1); }

/* What an operator may call. Later versions add functions at the end: `size` says how many bytes there are. */
typedef struct TsApi {
  int64_t version; /* TSCRIPT_OPS_VERSION */
  int64_t size;    /* bytes of this struct */
  /* A contiguous tensor, not initialised. Raises for sizes that cannot be, and when memory is out. */
  TsStatus (*tensor_alloc)(TsContext *ctx, int32_t dtype, int64_t ndim, const int64_t *sizes, TsTensor **out);
  TsStatus (*retain)(TsContext *ctx, TsTensor *t);  /* cannot fail */
  TsStatus (*release)(TsContext *ctx, TsTensor *t); /* cannot fail */
  /* A new reference to `t` when it is contiguous, else to a contiguous copy. */
  TsStatus (*tensor_contiguous)(TsContext *ctx, TsTensor *t, TsTensor **out);
  /* Raise a builtin exception by its name ("ValueError") with a message in UTF-8, which is copied:
   * `return api->raise(ctx, "ValueError", "…");` */
  TsStatus (*raise)(TsContext *ctx, const char *exception, const char *message);
  /* Release the GIL if this thread holds it; for operators that are registered with releases_gil=False. Cannot fail. */
  TsStatus (*release_gil)(TsContext *ctx);
} TsApi;

#ifdef __cplusplus
}
#endif
#endif
