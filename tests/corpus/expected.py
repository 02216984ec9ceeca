"""What the corpus holds, as two other programs counted it: a walker in Python, and cuobjdump 12.5
where it can read the file. Written down by hand from their output, so that no mistake of jitwarm
can be in here.

Sizes are MB (10^6) as unpacked.
"""
from collections import namedtuple

Census = namedtuple("Census", "entries kinds plain")

GGML = {"elf": 572, "ptx": 429}
CENSUS = {
    "linux/libggml-cuda.so": Census(1001, GGML, 1319.4),
    "windows/ggml-cuda.dll": Census(1001, GGML, 1347.4),
    "linux/index.node": Census(282, {"elf": 141, "ptx": 141}, 379.1),
    "toolkit/lib/libcublas.so.13": Census(1257, {"elf": 1069, "ptx": 188}, 439.0),
    "toolkit/lib/libcublasLt.so.13": Census(6120, {"elf": 5832, "ptx": 288}, 2319.7),
    "toolkit/lib/libcudnn_adv.so.9": Census(241, {"elf": 231, "ptx": 10}, 951.9),
    "toolkit/lib/libcudnn_cnn.so.9": Census(82, {"elf": 72, "ptx": 10}, 7.0),
    "toolkit/lib/libcudnn_engines_precompiled.so.9": Census(4161, {"elf": 4068, "ptx": 93}, 2266.6),
    "toolkit/lib/libcudnn_engines_runtime_compiled.so.9": Census(299, {"elf": 258, "ptx": 41},
                                                                 28.7),
    "toolkit/lib/libcudnn_ops.so.9": Census(154, {"elf": 132, "ptx": 22}, 445.1),
    "toolkit/lib/libcufft.so.12": Census(23984, {"nvvm": 12728, "ptx": 8131, "elf": 3125}, 692.7),
    "toolkit/lib/libcufftw.so.12": Census(1, {"elf": 1}, 0.0),
    "toolkit/lib/libcurand.so.10": Census(109, {"elf": 99, "ptx": 10}, 101.1),
    "toolkit/lib/libcusolver.so.12": Census(2277, {"elf": 2027, "ptx": 250}, 834.0),
    "toolkit/lib/libcusolverMg.so.12": Census(1047, {"elf": 920, "ptx": 127}, 550.8),
    "toolkit/lib/libcusparse.so.12": Census(1513, {"elf": 1036, "ptx": 273, "nvvm": 204}, 1216.1),
    "toolkit/lib/libnccl.so.2": Census(976, {"elf": 838, "ptx": 138}, 1338.1),
}

# Registered containers as "native/jit/none" for sm 61 75 80 86 89 90 100 120, a size in MB when PTX
# is to be compiled.
MATRIX = {
    "linux/libggml-cuda.so": "0/0/143 0/143/0:265.9 0/143/0:263.4 143/0/0 143/0/0 0/143/0:263.2 0/"
                             "143/0:263.2 143/0/0",
    "windows/ggml-cuda.dll": "0/0/143 0/143/0:274.9 0/143/0:274.8 143/0/0 143/0/0 0/143/0:274.5 0/"
                             "143/0:274.5 143/0/0",
    "linux/index.node": "0/0/141 0/0/141 0/0/141 0/0/141 141/0/0 0/141/0:268.9 0/141/0:268.9 0/141/"
                        "0:268.9",
    "toolkit/lib/libcublas.so.13": "0/0/193 190/0/3 191/0/2 191/0/2 191/0/2 191/0/2 191/0/2 "
                                   "192/0/1",
    "toolkit/lib/libcublasLt.so.13": "0/0/2782 166/1/2615:0.0 482/0/2300 482/0/2300 503/0/2279 "
                                     "1597/0/1185 1188/1/1593:0.0 1596/0/1186",
    "toolkit/lib/libcudnn_adv.so.9": "0/0/33 33/0/0 33/0/0 33/0/0 33/0/0 33/0/0 33/0/0 33/0/0",
    "toolkit/lib/libcudnn_cnn.so.9": "0/0/12 12/0/0 10/0/2 10/0/2 10/0/2 10/0/2 10/0/2 10/0/2",
    "toolkit/lib/libcudnn_engines_precompiled.so.9": "0/0/1379 473/0/906 662/0/717 681/0/698 681/0/"
                                                     "698 582/0/797 1037/0/342 707/0/672",
    "toolkit/lib/libcudnn_engines_runtime_compiled.so.9": "0/0/46 23/0/23 35/0/11 35/0/11 35/0/11 "
                                                          "46/0/0 41/0/5 41/0/5",
    "toolkit/lib/libcudnn_ops.so.9": "0/0/22 22/0/0 22/0/0 22/0/0 22/0/0 22/0/0 22/0/0 22/0/0",
    "toolkit/lib/libcurand.so.10": "0/0/11 11/0/0 11/0/0 11/0/0 11/0/0 11/0/0 11/0/0 11/0/0",
    "toolkit/lib/libcusolver.so.12": "0/0/226 222/0/4 225/0/1 225/0/1 225/0/1 226/0/0 226/0/0 "
                                     "226/0/0",
    "toolkit/lib/libcusparse.so.12": "0/0/134 110/0/24 114/0/20 122/0/12 122/0/12 114/0/20 114/0/"
                                     "20 114/0/20",
    "toolkit/lib/libnccl.so.2": "0/0/16 12/0/4 12/0/4 12/0/4 12/0/4 12/0/4 16/0/0 12/0/4",
}
