#!/usr/bin/env python3
"""scenarios.py TOOL ID | list

What jitwarm must tell the people that it is made for. A scenario is one line of their list: what they ask, how jitwarm ends, and
what the answer must say.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import wheels

HERE = pathlib.Path(__file__).resolve().parent
LOG = str(HERE / "logs" / "tf231-rtx3070.log")
PIP_TORCH = "pip install --force-reinstall torch torchvision torchaudio --index-url https://download.pytorch.org/whl"
RTX3070, GTX965M = "10de:2484", "10de:1427"
GTX1060, PRO6000, RTX3060TI = "10de:1c03", "10de:2bb1", "10de:2486"


def scan(software, *gpus, driver=None, windows=False):
    line = ["scan", software, "--yes"] + (["--os", "windows"] if windows else [])
    for gpu in gpus:
        line += ["--gpu", gpu]
    return line + (["--driver", driver] if driver else [])


# id: what is asked, the exit code, what must all be in the text, or (!) must not
PIP_VENV = "/opt/venv/bin/python3.11 -m pip install"
LOADER_VENV = 'export LD_LIBRARY_PATH="$(/opt/venv/bin/python3.11 -c \'import glob, nvidia, os; print(":".join('

SCENARIOS = {
    # TensorFlow on an RTX 3070 under Windows: the log, and the name
    "000-log": (["doctor", "--log", LOG], 1, "pauses for 3 min 56 s", "Adding visible gpu devices: 0",
                "waits while the driver compiles", "in this log it took 3 min 56 s", "GeForce RTX 3070 (compute capability 8.6)", "(compute_70)",
                "CUDA_CACHE_MAXSIZE=1073741824", "once per driver version", "TensorFlow 2.5 to 2.6 (CUDA 11.2) has machine code for it"),
    "000-1": (scan("tensorflow==2.3.1", RTX3070, windows=True), 0, "no wheel for Python 3.11; scanning the one for Python 3.8",
              "tensorflow-2.3.1-cp38-cp38-win_amd64.whl", "jit", "compiled from compute_70", "CUDA_CACHE_MAXSIZE=1073741824 (1 GiB)",
              "tensorflow 2.5-2.6 has machine code for it", "sm_35 sm_37 sm_52 sm_60 sm_61 sm_70", "on one core"),
    "000-1-check": ([*scan("tensorflow==2.3.1", RTX3070), "--check"], 1, "jit"),
    "000-2-small": (["CUDA_CACHE_MAXSIZE=268435456", *scan("tensorflow==2.3.1", RTX3070)], 0, "jit", "CUDA_CACHE_MAXSIZE=268435456 (256 MiB), with which each start may compile it again"),
    "000-2-off": (["CUDA_CACHE_DISABLE=1", *scan("tensorflow==2.3.1", RTX3070)], 0, "jit", "every start compiles again", "!set CUDA_CACHE_MAXSIZE"),
    "000-3": (scan("tensorflow==2.4.0", RTX3070), 0, "native", "ptxas of CUDA 11.0 does not know sm_86; CUDA 11.1 does"),
    "000-4": (scan("tensorflow==2.10.0", RTX3070), 0, "native"),
    "000-4-check": ([*scan("tensorflow==2.10.0", RTX3070), "--check"], 0, "native"),
    "000-5": (scan("tensorflow==2.3.1", GTX965M), 0, "native"),

    # three equal laptops
    "001-2": (scan("tensorflow==2.10.0", "10de:24a0", windows=True), 0, "native", "the driver compiles nothing at its start", "no wheel for Python 3.11"),
    "001-3": (scan("tensorflow==2.11.0", "10de:24a0", windows=True), 0, "no CUDA code in its wheel",
              "tensorflow 2.7-2.10 has machine code for it (older)"),

    # the same on Linux, where the log names cuBLAS alone: what the evidence allows, and what to do
    "000-log-linux": (["doctor", "--log", str(HERE / "logs" / "tf-rtx3090-linux.log")], 1, "pauses for 11 min 30 s", "the log names CUDA 10.1 and no version",
                      "where it has none for the GPU", "(compute_70)", "in this log it took 11 min 30 s", "To do jitwarm env apply --max-size 1073741824"),

    # documents that speak of software, and hold nothing that a program printed
    **{f"prose-{name}": (["doctor", "--log", str(HERE / "logs" / f"prose-{name}.txt")], 1, "this is not what a program printed", "To do jitwarm doctor")
       for name in ("laptops", "gpu-chapter", "pods", "error")},
    "prose-letter": (["doctor", "--log", str(HERE / "logs" / "prose-letter.txt")], 1, "this does not look like what a program printed", "!that jitwarm does not know", "To do jitwarm doctor"),

    # measures, counts of none and names that hold a word of failure: written from memory of what these programs print
    **{f"well-{name}": (["doctor", "--log", str(HERE / "logs" / f"well-{name}.log")], 0, "!that jitwarm does not know", "!pauses for", "To do jitwarm doctor")
       for name in ("cmake", "cntk", "cublas-sample", "jax", "kaldi", "keras-mae", "mmdet", "nerf", "pytest", "slurm")},

    # logs in the forms in which people post them: (log, exit code, To do, what the answer must say)
    **{f"posted-{name}": (["doctor", "--log", str(HERE / "logs" / f"posted-{name}.log")], code, *says, f"To do {todo}")
       for name, code, todo, *says in (
           ("vllm-autotune", 1, "jitwarm doctor", "FlashInfer's autotuner measures", "VLLM_CACHE_ROOT", "does not shorten"),
           ("vllm-cudagraphs", 1, "jitwarm doctor", "vLLM records its CUDA graphs", "--enforce-eager"),
           ("vllm-torch-compile", 1, "jitwarm doctor", "vLLM's torch.compile compiles", "VLLM_CACHE_ROOT"),
           ("sglang-graphs", 1, "jitwarm doctor", "SGLang records its CUDA graphs", "--disable-cuda-graph"),
           ("sglang-deepgemm", 1, "jitwarm doctor", "pauses for 9 min 44 s", "DeepGEMM compiles", "SGLANG_DG_CACHE_DIR"),
           ("triton-autotune", 1, "export TRITON_CACHE_AUTOTUNING=1", "Triton's autotuner"),
           ("inductor-autotune", 1, "jitwarm doctor", "PyTorch Inductor compiles", "TORCHINDUCTOR_CACHE_DIR", "!null"),
           ("torch-extension", 1, "jitwarm doctor", "TORCH_EXTENSIONS_DIR"),
           ("xla-slow-compile", 1, 'export JAX_COMPILATION_CACHE_DIR="$HOME/.cache/jax"', "XLA compiles", "pauses for 4 min 29 s", "it says that it took 6 min 29 s"),
           ("xla-conv-autotune", 1, 'export JAX_COMPILATION_CACHE_DIR="$HOME/.cache/jax"', "measures cuDNN's algorithms"),
           ("tf20-gtx850m", 1, "jitwarm prime", "waits while the driver compiles", "pauses for 5 min 7 s"),
           ("tf215-created-device", 1, "jitwarm doctor --watch=60s", "and it does not", "!jitwarm prime"),
           ("tf24-ptxas", 1, "pip install nvidia-cuda-nvcc-cu11 && export PATH=", "older than the GPU", "/bin:$PATH"),
           ("tf-rtx50", 1, "docker run --gpus all -it nvcr.io/nvidia/tensorflow:25.02-tf2-py3", "CUDA_ERROR_INVALID_PTX (218)", "cannot help", "!To do jitwarm prime"),
           ("ollama-slow-load", 1, "jitwarm prime", "llama.cpp has no machine code for NVIDIA GeForce RTX 5090", "probably compiles its PTX at",
            "likely", "!certain", "!less than a second", "!cannot run"),
           ("ollama-timeout", 1, "jitwarm prime", "Ollama gave up waiting", "OLLAMA_LOAD_TIMEOUT"),
           ("llama-cpp-stamps", 1, "jitwarm doctor --watch=60s", "pauses for 5 min 42 s after line 3"),
           ("llama-222", 1, "jitwarm doctor", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"),
           ("comfyui-sm120", 1, "D:\\ComfyUI_windows_portable\\python_embeded\\python.exe -m " + PIP_TORCH + "/cu128", "NO_KERNEL", "RTX 5070 Ti (12.0)"),
           ("ort-30s", 1, "jitwarm prime", "ONNX Runtime waited while the driver compiled"),
           ("ort-209", 1, "jitwarm doctor", "CUDA_ERROR_NO_BINARY_FOR_GPU (209)"),
           ("ort-804", 1, "nvidia-smi", "(804)", "LD_LIBRARY_PATH"),
           ("vllm-803", 1, "sudo reboot", "(803)", "When where the program ran: To do"),
           ("jax-dnn", 1, "pip install --upgrade 'nvidia-cudnn-cu12==9.*'", "cuDNN is older", "1 problem", "!could not be started"),
           ("whisper-cublas", 1, "pip install 'nvidia-cudnn-cu12==8.*'", "a part of cuDNN could not be loaded"),
           ("flashinfer-nvcc", 1, "ls -d /usr/local/cuda*/bin/nvcc", "finds no nvcc"),
           ("warp-load", 1, 'python3 -c "import warp; warp.init()"', "Warp compiled a module", "WARP_CACHE_PATH"),
           ("torch-cut", 1, f"{PIP_TORCH}/cu128", "NO_KERNEL", "this PyTorch holds no code"),
           ("llama-no-device", 1, "jitwarm doctor", "CUDA_ERROR_NO_DEVICE (100)", "1 problem", "!DGGML_CUDA"),
           ("llama-load-time", 1, "jitwarm prime", "in this log it took 6 min 52 s", "!CUDA_CACHE_MAXSIZE"),
           ("ort-cublas11", 1, "pip install --upgrade \"onnxruntime-gpu[cuda,cudnn]\"", "libcublasLt.so.11, which it needs, is not where the loader looks"),
           ("training-steps", 0, "jitwarm doctor", "no pause stands out", "up to 28 s", "!pauses for"),
           ("tf215-jit", 1, "jitwarm prime", "pauses for 12 min", "1 warning"),
           ("torch-oom", 1, "nvidia-smi", "the GPU's memory is full"),
           # in the environment, and for the system and the GPU, that the log names
           ("comfyui-portable", 1, "C:\\ComfyUI\\python_embeded\\python.exe -m " + PIP_TORCH + "/cu128", "holds no code for the GPU"),
           ("torch-cpu-windows", 1, "C:\\Users\\Bob\\AppData\\Local\\Programs\\Python\\Python311\\python.exe -m " + PIP_TORCH + "/cu128"),
           ("torch-p40", 1, "/home/u/venv/bin/python3.12 -m " + PIP_TORCH + "/cu126", "Tesla P40 (6.1)", "NO_KERNEL"),
           ("torch-old-driver", 1, "jitwarm doctor", "the driver serves CUDA up to 11.4", "When where the program ran"),
           ("jax-ptxas", 1, "pip install --upgrade nvidia-cuda-nvcc-cu12", "a ptxas that is older", "1 problem", "where XLA computes constants", "!numba"),
           ("numba-ptx", 1, 'pip install --upgrade "numba-cuda[cu12]"', "the driver's compiler is older", "1 problem"),
           ("tf216-dlopen", 1, 'pip install "tensorflow[and-cuda]"', "1 problem", "!found no CUDA runtime", "!found no driver"),
           ("tf210-nvinfer", 0, "jitwarm doctor", "no TensorRT", "!could not load CUDA libraries", "!runs on the CPU"),
           ("flash-attn", 1, "jitwarm doctor", "built for another release of PyTorch"),
           ("trt-engine", 1, "jitwarm doctor", "a TensorRT engine was built for another GPU", "!that jitwarm does not know"),
           ("wsl-docker", 1, "wsl --update && wsl --shutdown", "Windows shows WSL no NVIDIA GPU"),
           ("xid", 1, "nvidia-smi -q -d TEMPERATURE,POWER", "(Xid 79)", "1 problem"),
           ("letter-stamps", 1, "jitwarm doctor --watch=60s", "pauses for 2 min 42 s"),
           ("ort-named-gpu", 1, "jitwarm env apply --max-size 2147483648 &&", "JIT_FIRST", "compute capability 12.0", "When where the program ran"),
           ("absl-stamps", 1, "jitwarm doctor --watch=60s", "pauses for 44 s after line 2"),
           ("sd-webui", 1, "jitwarm doctor", "its PyTorch sees no GPU"),
           ("rocm", 1, PIP_TORCH + "/cu128", "AMD's GPUs"),
           ("docker-not-loaded", 1, "sudo modprobe nvidia", "kernel module is not loaded on the host"),
           ("xformers", 1, "/opt/venv/bin/python3.12 -m pip install --upgrade xformers torch", "xFormers has no kernel"),
           ("matlab", 1, "jitwarm prime", "this MATLAB has no machine code"),
           ("torch-no-gpu", 1, "jitwarm doctor", "PyTorch sees no GPU", "1 problem"),
           ("isaac-shaders", 1, "jitwarm doctor", "waits for the driver's ray tracing shaders", "GLCache", "!--watch"),
           ("trt-build", 1, "jitwarm doctor", "TensorRT builds an engine", "trt_engine_cache_enable", "!--watch"),
           ("model-not-loaded", 1, "jitwarm doctor", "an error that jitwarm does not know", "!nothing wrong"),
           # what NVIDIA's kernel module says, in one line or over several
           ("nvrm-old-driver", 1, "jitwarm doctor", "GeForce GTX 1070", "driver 361.42 is older than this GPU", "from driver 367 on", "!Verdict nothing"),
           ("nvrm-probe", 1, "jitwarm doctor", "GeForce GTX 1070", "driver 361.42 is older than this GPU", "from driver 367 on", "1 problem", "!pauses for"),
           ("nvrm-280", 1, "jitwarm doctor", "Tesla P40", "driver 280.04 is older than this GPU", "1 problem"),
           ("nvrm-open", 1, "jitwarm doctor", "GeForce GTX 1070", "open kernel module", "compute capability 7.5", "1 problem"),
           ("nvrm-mismatch", 1, "jitwarm doctor", "595.84", "595.80", "kernel module are of different versions", "1 problem"),
           ("nvrm-mismatch-line", 1, "jitwarm doctor", "535.54.03", "530.30.02", "kernel module are of different versions", "1 problem"),
           ("nvrm-rminit", 1, "sudo reboot", "could not start the GPU", "When where the program ran: To do", "1 problem", "!pauses for"),
           ("nvrm-firmware", 1, "jitwarm doctor", "firmware", "1 problem"),
           ("version-magic", 1, "sudo dkms autoinstall", "was built for another kernel", "1 problem"),
           ("nvrm-xid-gsp", 1, "sudo reboot", "(Xid 119)", "line 1, and 1 more like it", "1 problem", "!pauses for"),
           ("nvrm-xid-program", 1, "export CUDA_LAUNCH_BLOCKING=1", "(Xid 13)", "1 problem"),
           ("nvrm-xid-memory", 1, "nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER", "(Xid 63)"),
           # a pause is CUDA's only where the log speaks of it: of others it is a note
           # This one and vllm-idle are made, not posted.
           ("nginx", 0, "jitwarm doctor --watch=60s", "nothing in this log is about CUDA", "Verdict not known", "Note the log pauses for 1 h after line 2", "does not say what it waited for"),
           # an hour without a request is no pause of a start
           ("vllm-idle", 0, "jitwarm doctor", "a server that is ready: it waits for a request", "!pauses for", "!--watch"),
           ("docker-gpu", 1, "sudo nvidia-ctk runtime configure --runtime=docker", "no support for NVIDIA GPUs"))},

    # logs that are made, line by line as the sources and posted logs have them: (log, exit code, To do, what the answer must say)
    **{f"made-{name}": (["doctor", "--log", str(HERE / "logs" / f"made-{name}.log")], code, *says, f"To do {todo}")
       for name, code, todo, *says in (
           ("nvrm-newer-driver", 1, "jitwarm doctor", "driver 590.48.01 no longer serves this GPU", "up to driver 580", "1 problem"),
           ("nvrm-xid-other", 1, "jitwarm doctor", "(Xid 81)", "1 problem"),
           ("nvrm-nouveau", 1, "jitwarm doctor", "another driver of the kernel holds the GPU", "1 problem"),
           ("nvrm-legacy", 1, "jitwarm doctor", "no longer serves this GPU", "390.xx", "1 problem"),
           ("nvrm-unknown", 1, "jitwarm doctor", "an error that jitwarm does not know", "!Verdict nothing"),
           ("nvrm-well", 0, "jitwarm doctor", "no known error in the log", "!pauses for"),
           ("secure-boot", 1, "jitwarm doctor", "Secure Boot does not let", "mokutil", "1 problem"),
           ("no-module", 1, "sudo dkms autoinstall", "has no kernel module", "When where the program ran", "1 problem"),
           ("last-line", 1, "jitwarm doctor", "ends with an error that jitwarm does not know", "!Verdict nothing"),
           ("vllm-weights", 1, "jitwarm doctor", "pauses for 6 min 32 s", "line 6 says what took so long", "vLLM's torch.compile compiles", "it took 47 s", "!--watch"),
           ("sglang-new", 1, "jitwarm doctor", "pauses for 13 min 34 s", "DeepGEMM compiles", "SGLANG_DG_CACHE_DIR"),
           ("ollama-5090", 1, "jitwarm doctor --watch=60s", "pauses for 2 min 40 s", "!waits for a request"),
           ("ollama-native", 1, "jitwarm doctor --watch=60s", "pauses for 3 min 50 s", "Ollama 0.5.12 has machine code for", "NATIVE", "read the model", "!jitwarm prime"),
           ("ollama-v13", 1, "jitwarm env apply --max-size 1073741824 && export CUDA_CACHE_MAXSIZE=1073741824 && jitwarm prime",
            "Ollama 0.12.11 has no machine code for NVIDIA GeForce RTX 3070", "compute_86", "in this log it took 1 min 50 s"),
           ("ollama-night", 0, "jitwarm doctor", "a server that is ready: it waits for a request", "!pauses for"),
           ("comfyui-first", 1, "jitwarm doctor --watch=60s", "pauses for 2 min 5 s", "!10 h"),
           ("jax-log-compiles", 1, 'export JAX_COMPILATION_CACHE_DIR="$HOME/.cache/jax"', "pauses for 1 min 38 s", "XLA compiles"),
           ("blender", 1, "jitwarm doctor --watch=60s", "pauses for 3 min 41 s", "Blender loads the kernels of Cycles"),
           ("ort-cudnn", 1, "/opt/app/venv/bin/python3.11 -m pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12", "1 problem", "libcudnn.so.9"),
           ("tf22-ptxas", 1, "pip install nvidia-cuda-nvcc-cu11 && export PATH=", "pauses for 6 min 48 s", "could not use ptxas"),
           ("triton-server", 1, "jitwarm doctor --watch=60s", "pauses for 1 min 28 s", "!8 h"),
           ("vllm-mem", 1, "nvidia-smi", "other programs hold the GPU's memory", "!does not know"),
           ("whispercpp", 1, "jitwarm prime", "whisper.cpp has no machine code", "in this log it took 3 min 12 s"),
           ("tf-no-libs", 1, "jitwarm doctor", "1 problem", "found no driver that it can use"),
           # what it died of comes first, and no live watch of a program that is gone
           ("died-after-pause", 1, "jitwarm doctor", "Warning the log ends with an error", "KeyError: 'layers.0", "pauses for 1 min 11 s", "!To do jitwarm doctor --watch"),
           ("sdwebui-gradio", 1, "C:\\sd\\stable-diffusion-webui\\venv\\Scripts\\python.exe -m " + PIP_TORCH + "/cu128", "NO_KERNEL", "1 problem"),
           ("trtllm", 1, "jitwarm doctor", "TensorRT builds an engine", "it says that it took 7 min 11 s"),
           ("k8s-cri", 1, "jitwarm doctor --watch=60s", "pauses for 8 min 53 s"),
           # the beginning is that of OctoPrint 1.11.8 itself
           ("octoprint", 0, "jitwarm doctor --watch=60s", "nothing in this log is about CUDA", "Verdict not known", "Note the log pauses for 10 min after line 12", "line 13: 2026-11-25 13:30:28",
            "does not say what it waited for"),
           # of a log that names no CUDA: how long, where, and what asks the machine
           ("hang-unnamed", 0, "jitwarm doctor --watch=60s", "nothing in this log is about CUDA", "Verdict not known", "Note the log pauses for 14 min 38 s after line 2",
            "line 2: 2025-06-03 08:00:12", "line 3: 2025-06-03 08:14:50", "does not say what it waited for", "When where the program ran"),
           ("ct2-cudnn8", 1, "pip install nvidia-cublas-cu12 'nvidia-cudnn-cu12==8.*' && export LD_LIBRARY_PATH=", "found no cuBLAS", "1 problem"),
           # the loader does not look into pip's packages: tried with libcudart.so.12
           ("cdll", 1, f"{PIP_VENV} nvidia-cublas-cu12 && {LOADER_VENV}", "have the loader look there"),
           ("unknown-words", 1, "jitwarm doctor", "an error that jitwarm does not know", "line 2: Zorblax failed: frobnication 17"),
           ("deepspeed-ops", 1, "jitwarm doctor", "PyTorch's extension builder compiles", "TORCH_EXTENSIONS_DIR"),
           # the memory of a job is not the GPU's
           ("slurm-oom", 1, "free -h", "When this only looks", "the memory of the machine or of the job was full", "1 problem", "!the GPU's memory is full"),
           ("killed", 1, "dmesg -T | grep -i 'killed process'", "the program was killed from outside", "1 warning", "When this only looks"),
           ("killed-by-script", 1, "dmesg -T | grep -i 'killed process'", "the program was killed from outside", "1 warning", "When this only looks"),
           ("slurm-time", 1, "jitwarm doctor", "Slurm ended the job at its time limit", "1 problem"),
           ("k8s-no-gpu-free", 1, 'kubectl get nodes "-o=custom-columns=NAME:.metadata.name,GPU:.status.allocatable.nvidia\\.com/gpu"', "no node of the cluster has a free GPU"),
           ("comfyui-oom", 1, "nvidia-smi", "the GPU's memory is full", "1 problem", "!does not know"),
           ("docker-runtime", 1, "sudo nvidia-ctk runtime configure --runtime=docker", "Docker does not know NVIDIA's runtime", "1 problem"),
           ("blender-optix", 1, "jitwarm doctor", "older than this program's OptiX needs", "1 problem", "!nothing wrong"),
           ("nccl", 1, "export NCCL_DEBUG=INFO", "GPUs could not talk to each other", "When this only looks"),
           # nothing to do where all is well
           ("vllm-well", 0, "jitwarm doctor", "no known error in the log, and no pause", "!Do ", "!Warning"),
           ("torch-well", 0, "jitwarm doctor", "no known error in the log", "!Do ", "!Warning"),
           ("tf219-5090", 1, "docker run --gpus all -it nvcr.io/nvidia/tensorflow:25.02-tf2-py3", "1 problem, 1 warning", "known of TensorFlow on this GPU", "cannot help", "!To do jitwarm prime"))},

    # programs that were run with an NVIDIA driver (550; numba-old-driver: 470; cupy-no-driver: none), without a GPU. With these commands ONNX
    # Runtime had its CUDA provider, Numba's program and CuPy's second ran, and CuPy's first went on to the next library.
    **{f"run-{name}": (["doctor", "--log", str(HERE / "logs" / f"run-{name}.log")], 1, *says, f"To do {todo}")
       for name, todo, *says in (
           ("onnxruntime", "pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12 nvidia-cufft-cu12 nvidia-curand-cu12 nvidia-cuda-nvrtc-cu12 "
            "'nvidia-cudnn-cu12==9.*' && export LD_LIBRARY_PATH=", "Seen line 1: 2026-11-25", "1 problem"),
           ("cupy", f"{PIP_VENV} nvidia-cuda-nvrtc-cu12 && {LOADER_VENV}", "CuPy does not find NVRTC", "1 problem"),
           ("cupy-headers", f"{PIP_VENV} nvidia-cuda-runtime-cu12", "CuPy finds no headers of CUDA", "1 problem", "!LD_LIBRARY_PATH"),
           ("numba-old-driver", "jitwarm doctor", "older than CUDA's Python bindings need", "525 or newer", "1 problem"),
           ("cupy-no-driver", "jitwarm doctor", "or there is none", "1 problem"),
           ("numba", f'{PIP_VENV} --upgrade "numba-cuda[cu12]"', "Numba finds no CUDA toolkit", "1 problem"),
           ("numba-toolkit", f"{PIP_VENV} nvidia-cuda-runtime-cu12 nvidia-cuda-nvrtc-cu12 nvidia-cuda-nvcc-cu12 nvidia-nvjitlink-cu12", "was not found", "1 problem"),
           ("numba-nvjitlink", f"{PIP_VENV} --upgrade nvidia-cuda-nvcc-cu12 nvidia-nvjitlink-cu12", "nvJitLink is older than the compiler", "of different CUDA toolkits", "1 problem"),
           ("cupy-nvrtc", f"{PIP_VENV} nvidia-cuda-runtime-cu12 nvidia-cuda-nvrtc-cu12", "was not found", "1 problem"),
           ("cupy-headers-14", f"{PIP_VENV} nvidia-cuda-runtime-cu12", "CuPy finds no headers of CUDA", "1 problem"),
           ("jax-no-libraries", f'{PIP_VENV} --upgrade "jax[cuda12]"', "JAX's CUDA plugin could not be started", "1 problem", "!TensorFlow"),
           ("ct2-first", "jitwarm doctor --watch=60s", "pauses for 18 s after line 2", "compare with a second start"),
           ("ct2-numpy", f"{PIP_VENV} numpy", "has no NumPy", "1 problem"),
           # a C program: no framework is spoken of, and the command is for the file that it loads
           ("c-218-arch", "jitwarm prime /opt/app/kernels/k90.ptx", "CUDA_ERROR_INVALID_PTX (218)", "says what its compiler refuses", "is for a newer GPU than this one", "!TensorFlow"),
           ("c-jit-new", "jitwarm doctor", "the driver's compiler is older than what made the PTX", "1 problem", "!pip"),
           ("c-jit-arch", "jitwarm doctor", "the PTX is for a newer GPU than this one", "1 problem"),
           ("c-jit-bad", "jitwarm doctor", "the PTX has errors", "1 problem", "Not a name of any known instruction"),
           ("c-200", "jitwarm scan /opt/app/kernels/junk.ptx", "CUDA_ERROR_INVALID_IMAGE (200)", "!TensorFlow"),
           ("c-nofile", "jitwarm doctor", "line 3: /nonexist: No such file or directory", "!not what a program printed"))},
    # and those that did well
    "run-ct2-second": (["doctor", "--log", str(HERE / "logs" / "run-ct2-second.log")], 0, "no known error in the log, and no pause of 10 s or more", "!Do ", "!Warning"),
    "run-c-ok": (["doctor", "--log", str(HERE / "logs" / "run-c-ok.log")], 0, "no known error in the log", "!not what a program printed", "!Problem", "!Warning"),

    # TensorFlow on Pascal
    "002-1": (["doctor", "--log", str(HERE / "logs" / "tf09-gtx1070.log")], 1, "may compute wrong results", "CUDA 8.0 or newer"),
    "002-2": (scan("tensorflow==0.12", GTX1060, driver="361.62"), 1, "driver 361.62 is too old for sm_61"),
    "002-3-listed": (scan("tensorflow==1.4", GTX1060, driver="375.26"), 0, "native"),
    "002-3-not-listed": (scan("tensorflow==1.0.1", GTX1060, driver="375.26"), 0, "jit", "compute_52"),
    "002-6": (scan("torch==2.11", GTX1060), 0, "none"),
    "002-6-new-driver": (scan("torch==2.6", GTX1060, driver="590.44.01"), 1, "does not drive this GPU", "580 is the last branch that does"),

    # a learner with one GPU or several
    "003-1": (scan("tensorflow==2.0.0", "10de:102d", "10de:15f8", "10de:1eb8"), 0, "native"),
    "003-2": (scan("tensorflow==2.0.0", "10de:1b80", RTX3070), 0, "native GeForce GTX 1080 (sm_61)",
              "jit NVIDIA GeForce RTX 3070 (sm_86)", "CUDA_VISIBLE_DEVICES with the number of another one"),
    "003-4-cpu-wheel": (scan("tensorflow-cpu==2.3.1", RTX3070), 0, "no CUDA code in its wheel. What it depends on was not fetched"),
    "003-4-check": ([*scan("tensorflow-cpu==2.3.1", RTX3070), "--check"], 1, "no CUDA code was found, so nothing was checked"),

    # renting and buying GPUs
    "004-1": (scan("torch==2.1", "10de:2236", "10de:2231", "10de:20b0", RTX3060TI), 0, "native", "check CPU load, batch size"),
    "004-2": (scan("torch==2.6", PRO6000), 0, "none", "torch 2.8-2.10 has machine code for it"),
    "004-2-default": (scan("torch==2.7.1", PRO6000), 0, "none", "torch 2.8-2.10 has machine code for it"),
    "004-3": (scan("torch==2.8", PRO6000, driver="570.124.06"), 0, "native"),
    "004-4": (scan("torch==2.11", PRO6000, driver="570.124.06"), 1, "CUDA 13.0, which needs a driver >= 580",
              "has machine code for it (older)"),
    "004-5": (scan("tensorflow==2.19.0", PRO6000), 0, "jit", "compiling is known to fail", "CUDA_ERROR_INVALID_PTX", "25.02", "!CUDA_CACHE_MAXSIZE"),
    "004-6": (scan("onnxruntime-gpu==1.23", PRO6000, windows=True), 0, "jit", "compute_90"),
    "004-7-small": (scan("ctranslate2==4.4.0", PRO6000), 0, "jit", "compiled from compute_86", "!CUDA_CACHE_MAXSIZE"),
    "004-9": (scan("torch==1.10", RTX3060TI), 0, "none", "torch 1.13-2.0 has machine code for it"),
}


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(SCENARIOS))
        return
    tool, name = sys.argv[1:]
    args, code, *says = SCENARIOS[name]
    settings = dict(one.split("=") for one in args if re.match(r"[A-Z_]+=", one))
    args = args[len(settings):]
    env = {k: v for k, v in os.environ.items() if not re.match(r"CUDA_|NVIDIA_|JITWARM|XDG_|PYTHON|CONDA|VIRTUAL|PIP_|JW_PIP", k)}
    with tempfile.TemporaryDirectory(prefix="jitwarm-scenario-", dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        env.update(HOME=scratch, LC_ALL="C.UTF-8", XDG_STATE_HOME=f"{scratch}/state", TERM="dumb", JW_PIP_WHEELS=scratch,
                   PATH=f"{HERE.parent / 'fakes'}:{os.environ['PATH']}", **settings)
        name = args[1].split("==")[0]
        for requirement in wheels.HOLDS:
            if requirement.startswith(f"{name}==") and re.split("==", requirement)[1].startswith(args[1].partition("==")[2]):
                wheels.make(pathlib.Path(scratch), requirement)
        done = subprocess.run([tool, *args], cwd=scratch, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        left = [str(p) for p in pathlib.Path(scratch, "state").rglob("*") if p.is_file()]
    text = re.sub(r"\s+", " ", done.stdout + done.stderr)
    bad = [f"the answer {'says' if one[0] == '!' else 'does not say'} {one!r}" for one in says if (one.lstrip("!") in text) == (one[0] == "!")]
    if done.returncode != code:
        bad.append(f"exit {done.returncode} instead of {code}")
    if args[0] == "scan" and left:
        bad.append(f"left behind: {left}")
    if bad:
        sys.exit("\n".join([*bad, done.stdout, done.stderr]))


if __name__ == "__main__":
    main()
