"""What the corpus holds, as two other programs counted it: a walker in Python, and cuobjdump 12.5 where it can read the
file. Written down by hand from their output, so that no mistake of jitwarm can be in here.

Sizes are MB (10^6): stored with entry headers, plain as unpacked.
"""
from collections import namedtuple

Census = namedtuple("Census", "sections entries kinds compression stored plain ptx_plain")

GGML = {"elf": 572, "ptx": 429}
CENSUS = {
    "linux/libggml-cuda.so": Census({".nv_fatbin": 143}, 1001, GGML, {"zstd": 1001}, 128.5, 1319.4, 792.5),
    "windows/ggml-cuda.dll": Census({".nv_fatb": 143}, 1001, GGML, {"zstd": 1001}, 128.8, 1347.4, 824.2),
    "linux/index.node": Census(
        {".nv_fatbin": 141}, 282, {"elf": 141, "ptx": 141}, {"lz4": 141, "none": 141}, 172.6, 379.1, 268.9),
    "toolkit/lib/libcublas.so.13": Census(
        {".nv_fatbin": 193}, 1257, {"elf": 1069, "ptx": 188}, {"zstd": 1257}, 46.4, 439.0, 82.3),
    "toolkit/lib/libcublasLt.so.13": Census(
        {".nv_fatbin": 2782, ".cask_resource": 383}, 6120, {"elf": 5832, "ptx": 288}, {"zstd": 6120},
        217.3, 2319.7, 237.3),
    "toolkit/lib/libcudnn_adv.so.9": Census(
        {".nv_fatbin": 33}, 241, {"elf": 231, "ptx": 10}, {"zstd": 241}, 100.8, 951.9, 31.6),
    "toolkit/lib/libcudnn_cnn.so.9": Census(
        {".nv_fatbin": 12}, 82, {"elf": 72, "ptx": 10}, {"zstd": 82}, 0.9, 7.0, 0.4),
    "toolkit/lib/libcudnn_engines_precompiled.so.9": Census(
        {".nv_fatbin": 1379, ".cask_resource": 122}, 4161, {"elf": 4068, "ptx": 93}, {"zstd": 4161},
        169.8, 2266.6, 336.0),
    "toolkit/lib/libcudnn_engines_runtime_compiled.so.9": Census(
        {".nv_fatbin": 46}, 299, {"elf": 258, "ptx": 41}, {"zstd": 299}, 2.4, 28.7, 4.8),
    "toolkit/lib/libcudnn_ops.so.9": Census(
        {".nv_fatbin": 22}, 154, {"elf": 132, "ptx": 22}, {"zstd": 154}, 34.4, 445.1, 77.5),
    "toolkit/lib/libcufft.so.12": Census(
        {".nv_fatbin": 1, ".ldata": 23983}, 23984, {"nvvm": 12728, "ptx": 8131, "elf": 3125},
        {"lz4": 22789, "zstd": 1195}, 266.0, 692.7, 408.7),
    "toolkit/lib/libcufftw.so.12": Census({".nv_fatbin": 1}, 1, {"elf": 1}, {"none": 1}, 0.0, 0.0, 0.0),
    "toolkit/lib/libcurand.so.10": Census(
        {".nv_fatbin": 11}, 109, {"elf": 99, "ptx": 10}, {"none": 99, "zstd": 10}, 89.6, 101.1, 13.6),
    "toolkit/lib/libcusolver.so.12": Census(
        {".nv_fatbin": 226}, 2277, {"elf": 2027, "ptx": 250}, {"zstd": 2115, "none": 162}, 126.9, 834.0, 208.3),
    "toolkit/lib/libcusolverMg.so.12": Census(
        {".nv_fatbin": 103}, 1047, {"elf": 920, "ptx": 127}, {"zstd": 678, "none": 369}, 95.3, 550.8, 179.5),
    "toolkit/lib/libcusparse.so.12": Census(
        {".nv_fatbin": 134, ".rodata": 34}, 1513, {"elf": 1036, "ptx": 273, "nvvm": 204},
        {"zstd": 1029, "lz4": 476, "none": 8}, 145.5, 1216.1, 232.9),
    "toolkit/lib/libnccl.so.2": Census(
        {"__nv_relfatbin": 127, ".nv_fatbin": 16}, 976, {"elf": 838, "ptx": 138}, {"zstd": 976}, 187.0, 1338.1, 138.6),
    "toolkit/lib/libcudadevrt.a": Census(
        {"__nv_relfatbin": 1}, 11, {"elf": 10, "ptx": 1}, {"zstd": 11}, 1.0, 11.2, 0.8),
}

GGML_ARCHS = {"compute_75", "compute_80", "sm_86", "sm_89", "compute_90", "sm_120a", "sm_121a"}
ARCHS = {
    "linux/libggml-cuda.so": GGML_ARCHS,
    "windows/ggml-cuda.dll": GGML_ARCHS,
    "linux/index.node": {"compute_89", "sm_89"},
    "toolkit/lib/libcublas.so.13": {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "compute_120", "sm_120"},
}
ISA = {"linux/libggml-cuda.so": "9.1", "windows/ggml-cuda.dll": "9.1", "linux/index.node": "8.5"}

# Registered containers as "native/jit/none" for sm 61 75 80 86 89 90 100 120, a size in MB when PTX is to be compiled.
MATRIX = {
    "linux/libggml-cuda.so":
        "0/0/143 0/143/0:265.9 0/143/0:263.4 143/0/0 143/0/0 0/143/0:263.2 0/143/0:263.2 143/0/0",
    "windows/ggml-cuda.dll":
        "0/0/143 0/143/0:274.9 0/143/0:274.8 143/0/0 143/0/0 0/143/0:274.5 0/143/0:274.5 143/0/0",
    "linux/index.node":
        "0/0/141 0/0/141 0/0/141 0/0/141 141/0/0 0/141/0:268.9 0/141/0:268.9 0/141/0:268.9",
    "toolkit/lib/libcublas.so.13":
        "0/0/193 190/0/3 191/0/2 191/0/2 191/0/2 191/0/2 191/0/2 192/0/1",
    "toolkit/lib/libcublasLt.so.13":
        "0/0/2782 166/1/2615 482/0/2300 482/0/2300 503/0/2279 1597/0/1185 1188/1/1593 1596/0/1186",
    "toolkit/lib/libcudnn_adv.so.9":
        "0/0/33 33/0/0 33/0/0 33/0/0 33/0/0 33/0/0 33/0/0 33/0/0",
    "toolkit/lib/libcudnn_cnn.so.9":
        "0/0/12 12/0/0 10/0/2 10/0/2 10/0/2 10/0/2 10/0/2 10/0/2",
    "toolkit/lib/libcudnn_engines_precompiled.so.9":
        "0/0/1379 473/0/906 662/0/717 681/0/698 681/0/698 582/0/797 1037/0/342 707/0/672",
    "toolkit/lib/libcudnn_engines_runtime_compiled.so.9":
        "0/0/46 23/0/23 35/0/11 35/0/11 35/0/11 46/0/0 41/0/5 41/0/5",
    "toolkit/lib/libcudnn_ops.so.9":
        "0/0/22 22/0/0 22/0/0 22/0/0 22/0/0 22/0/0 22/0/0 22/0/0",
    "toolkit/lib/libcurand.so.10":
        "0/0/11 11/0/0 11/0/0 11/0/0 11/0/0 11/0/0 11/0/0 11/0/0",
    "toolkit/lib/libcusolver.so.12":
        "0/0/226 222/0/4 225/0/1 225/0/1 225/0/1 226/0/0 226/0/0 226/0/0",
    "toolkit/lib/libcusparse.so.12":
        "0/0/134 110/0/24 114/0/20 122/0/12 122/0/12 114/0/20 114/0/20 114/0/20",
    "toolkit/lib/libnccl.so.2":
        "0/0/16 12/0/4 12/0/4 12/0/4 12/0/4 12/0/4 16/0/0 12/0/4",
}

# PTX that a library loads itself: containers and MB for sm 75 80 86 89 90 100 120.
LAZY = {"toolkit/lib/libcufft.so.12": "7189:352.8 7772:395.4 8063:403.5 8063:403.5 8131:408.7 8131:408.7 8131:408.7"}
