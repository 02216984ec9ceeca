#!/usr/bin/env python3
"""nvrtc.py NVRTC COUNT
What a program does that makes its kernels while it runs, without jitwarm's code: NVRTC compiles
COUNT kernels of CUDA C to PTX, and the driver loads them. One line of JSON: how many entries are
new in the cache, and whether the driver's compiler is in this process."""
import ctypes
import json
import pathlib
import sys

from linker import entries

KERNEL = """extern "C" __global__ void scale(float *x, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < {0}; k++)
        if (i < n)
            x[i] = x[i] * {0}.5f + k;
}}
"""


def compiled(nvrtc, text):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"scale.cu", 0, None,
                                    None) == 0
    options = (ctypes.c_char_p * 1)(b"-arch=compute_80")
    assert nvrtc.nvrtcCompileProgram(program, 1, options) == 0
    assert nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
    ptx = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetPTX(program, ptx) == 0
    return ptx


def main():
    before, out = entries(), ctypes.c_void_p()
    nvrtc, cuda = ctypes.CDLL(sys.argv[1]), ctypes.CDLL("libcuda.so.1")
    assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(out), 0, 0) == 0
    for n in range(int(sys.argv[2])):
        ptx = compiled(nvrtc, KERNEL.format(n + 2))
        assert cuda.cuModuleLoadData(ctypes.byref(out), ptx) == 0
    maps = pathlib.Path("/proc/self/maps").read_text()
    print(json.dumps({"new_entries": len(set(entries()) - set(before)),
                      "compiler": "libnvidia-ptxjitcompiler" in maps}))


if __name__ == "__main__":
    main()
