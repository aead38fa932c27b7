/* Operators and an allocator for the tests. */
#include "tscript_ops.h"
#include <stdlib.h>

TsStatus scale(TsContext *ctx, const TsApi *api, TsTensor *x, double by, TsTensor **out) {
  TsTensor *dense, *made;
  TsStatus status;
  if (x->dtype != TS_FLOAT32) return api->raise(ctx, "TypeError", "scale takes float32 \xe2\x80\x94 only");
  status = api->tensor_contiguous(ctx, x, &dense);
  if (status) return status;
  status = api->tensor_alloc(ctx, x->dtype, x->ndim, ts_sizes(x), &made);
  if (!status) {
    for (int64_t i = 0; i < x->numel; i++) ((float *)made->data)[i] = ((float *)dense->data)[i] * (float)by;
    *out = made;
  }
  api->release(ctx, dense);
  return status;
}

TsStatus nothing(TsContext *ctx, const TsApi *api, TsTensor *x, TsTensor **out) { return TS_OK; }

/* Gives the second of two tensors only. */
TsStatus half(TsContext *ctx, const TsApi *api, TsTensor **a, TsTensor **b) {
  int64_t n = 3;
  return api->tensor_alloc(ctx, TS_FLOAT32, 1, &n, b);
}

TsStatus itself(TsContext *ctx, const TsApi *api, TsTensor *x, TsTensor **out) {
  api->retain(ctx, x);
  *out = x;
  return TS_OK;
}

TsStatus status(TsContext *ctx, const TsApi *api, int64_t n, int64_t *out) {
  *out = n;
  return (TsStatus)n;
}

TsStatus raises(TsContext *ctx, const TsApi *api, const char *exception) { return api->raise(ctx, exception, "as asked"); }

TsStatus raises_nothing(TsContext *ctx, const TsApi *api) { return api->raise(ctx, 0, 0); }

TsStatus several(TsContext *ctx, const TsApi *api, TsTensor *x, int8_t flag, int64_t k, TsTensor **a, double *b,
                 int8_t *c) {
  int64_t n = k == TS_NONE ? 1 : k;
  TsStatus status = api->tensor_alloc(ctx, TS_INT64, 1, &n, a);
  if (status) return status;
  for (int64_t i = 0; i < n; i++) ((int64_t *)(*a)->data)[i] = i;
  *b = 0.5;
  *c = flag ? 0 : 2;
  return TS_OK;
}

TsStatus huge(TsContext *ctx, const TsApi *api, TsTensor **out) {
  int64_t sizes[2] = {INT64_MAX / 16, 1};
  return api->tensor_alloc(ctx, TS_FLOAT64, 2, sizes, out);
}

TsStatus add_(TsContext *ctx, const TsApi *api, TsTensor *x, double by) {
  for (int64_t i = 0; i < x->numel; i++) ((float *)x->data)[i] += (float)by;
  x->storage->version++;
  return TS_OK;
}

TsStatus every(TsContext *ctx, const TsApi *api, TsTensor *const *ts, int64_t nts, const int64_t *ks, int64_t nks,
               const double *fs, int64_t nfs, TsTensor *maybe, int32_t dtype, const char *text, double opt, int64_t given,
               double *out) {
  double total = 0;
  for (int64_t i = 0; i < nts; i++) total += (double)ts[i]->numel;
  for (int64_t i = 0; i < nks; i++) total += 10 * (double)ks[i];
  for (int64_t i = 0; i < nfs; i++) total += fs[i];
  *out = total + (maybe ? 100 : 0) + 1000 * dtype + (text ? text[0] : 0) + (given ? opt : 0);
  return api->version == TSCRIPT_OPS_VERSION && api->size >= (int64_t)sizeof(TsApi) ? TS_OK : 9;
}

extern int PyGILState_Check(void);

TsStatus holds_gil(TsContext *ctx, const TsApi *api, int64_t release, int64_t *out) {
  if (release) api->release_gil(ctx);
  *out = PyGILState_Check();
  return TS_OK;
}

int64_t taken, given_back;

void *take(int64_t nbytes, int64_t alignment, void *user) {
  __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
  return aligned_alloc((size_t)alignment, (size_t)((nbytes + alignment - 1) / alignment * alignment));
}

void give_back(void *block, int64_t nbytes, void *user) {
  __atomic_add_fetch(&given_back, 1, __ATOMIC_SEQ_CST);
  free(block);
}
