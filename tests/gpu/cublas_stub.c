/*
 * For E16 on a machine without cuBLAS: what llama.cpp's CUDA library of a CUDA 12 release takes from libcublas.so.12, so that it
 * can be loaded. Nothing of it is called there, for nothing is computed; each answers that cuBLAS is not initialised.
 */
#define STUB(name)                                                                                           \
    int name(void);                                                                                          \
    int name(void)                                                                                           \
    {                                                                                                        \
        return 1;                                                                                            \
    }

STUB(cublasCreate_v2)
STUB(cublasDestroy_v2)
STUB(cublasGemmBatchedEx)
STUB(cublasGemmEx)
STUB(cublasGemmStridedBatchedEx)
STUB(cublasSetMathMode)
STUB(cublasSetStream_v2)
STUB(cublasSgemm_v2)

const char *cublasGetStatusString(int status);

const char *cublasGetStatusString(int status)
{
    (void)status;
    return "a stub of cuBLAS";
}
