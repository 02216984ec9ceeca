/* All limits of sizes and counts, so that a hostile file cannot make jitwarm use more. */
#pragma once

#include "jitwarm/gpu.h" /* JW_MAX_SMS */

#define JW_MAX_PLAIN ((uint64_t)512 << 20)     /* one unpacked payload; a real one has 134 MB */
#define JW_MAX_FAT_SIZE ((uint64_t)0x7fffffff) /* the driver has a signed 32-bit size */
#define JW_MAX_ENTRY_HEADER ((uint32_t)65536)  /* the longest real one is 144 bytes */
#define JW_MAX_FATS ((size_t)1 << 16)          /* containers kept for one file; cuFFT has 23,984 */
#define JW_MAX_FAT_ENTRIES ((size_t)1 << 18)   /* entries kept for one file; cuFFT has as many */
#define JW_MAX_FAT_STEPS ((size_t)1 << 20)     /* headers read in one file, damaged ones included */
#define JW_MAX_FAT_SEARCH ((uint64_t)4 << 30)  /* bytes of one file */
#define JW_MAX_FAT_TEXT ((size_t)8 << 20)      /* options and problems kept for one file */
#define JW_MAX_SECTIONS ((size_t)1 << 18)      /* ELF and PE section headers looked at */
#define JW_MAX_NAMES ((size_t)16 << 20) /* one section name or string table read into memory */
#define JW_MAX_COMPILER ((uint64_t)256 << 20)  /* a driver's compiler; that of 555 has 30 MB */
#define JW_MAX_SEGMENTS ((size_t)4096)         /* ELF program headers */
#define JW_MAX_WRAPPERS ((size_t)1 << 18)      /* fatbin wrappers read to label containers */
#define JW_MAX_WRAPPER_STEPS ((size_t)1 << 26) /* the same, times the sections of the file */
#define JW_MAX_ZIP_MEMBERS ((size_t)1 << 18)   /* members of a wheel */
#define JW_MAX_ZIP_DIRECTORY ((uint64_t)32 << 20)
#define JW_MAX_WHEEL_PLAIN ((uint64_t)1 << 30)     /* unpacked of one wheel: this much, or */
#define JW_MAX_WHEEL_RATIO ((uint64_t)50)          /* so many times its size, whichever is more */
#define JW_MAX_CACHE_KEY ((uint64_t)513 << 20)     /* of an entry: the PTX and 1 MiB around it */
#define JW_MAX_CACHE_PAYLOAD ((uint64_t)512 << 20) /* code of one entry; a real one has 22 MB */
#define JW_MAX_CACHE_ENTRIES ((size_t)4 << 20)     /* and records of its index, which are 64 MiB */
#define JW_SMALL_DATA ((uint64_t)1 << 20)    /* a section kept at hand while a member is unpacked */
#define JW_MAX_PROBLEMS ((size_t)8)          /* sentences kept per file; the rest is counted */
#define JW_MAX_DEPTH ((unsigned)128)         /* nested folders */
#define JW_MAX_JSON ((size_t)64 << 20)       /* one JSON document that we read */
#define JW_MAX_JSON_VALUES ((size_t)1 << 20) /* values in it; each costs about 80 bytes */
#define JW_MAX_TEXT_FILE ((size_t)16 << 20)  /* one .pth or conf file */
#define JW_MAX_NOTES ((size_t)64)   /* sentences that discovery, a conf file, a GPU listing keep */
#define JW_MAX_ROOTS ((size_t)4096) /* folders that discovery offers, roots of a cache */
#define JW_MAX_LISTED ((size_t)1 << 16) /* names of one folder kept while looking for software */
#define JW_MAX_OWNED ((size_t)1 << 21)  /* kernels of a record, ledger texts, unread files */
#define JW_MAX_CONF ((size_t)1 << 20)   /* one jitwarm.conf */
#define JW_MAX_CONF_ITEMS ((size_t)4096)
#define JW_MAX_TIMEOUT_S ((uint64_t)7 * 24 * 60 * 60)
#define JW_MAX_LOGIN_OUTPUT ((size_t)16 << 20) /* of a login shell, with its environment */
#define JW_MAX_LOADER_CACHE ((size_t)16 << 20) /* /etc/ld.so.cache */
#define JW_MAX_STATE ((size_t)1 << 20)         /* one file of the state folder */
#define JW_MAX_GPUS ((size_t)256)              /* PCI functions of one machine */
#define JW_MAX_ARENA ((size_t)1 << 30)
#define JW_MAX_LINE ((size_t)1 << 16)
#define JW_MAX_PATH ((size_t)1 << 17)       /* bytes of one path: Windows has 32,767 UTF-16 units */
#define JW_MAX_COMMAND ((size_t)1 << 17)    /* bytes of a command line that jitwarm starts */
#define JW_MAX_VARIABLE ((size_t)1 << 20)   /* bytes of one environment variable that we set */
#define JW_MAX_WORKERS ((unsigned)1024)     /* processes of one prime, threads of one jw_parallel */
#define JW_MAX_IMAGE ((size_t)1 << 30)      /* one module given to a driver */
#define JW_MAX_RECORD ((size_t)1 << 18)     /* between us and a worker: a path and a little more */
#define JW_MAX_LOG ((size_t)16 << 10)       /* of the driver's words about one module */
#define JW_MAX_CU_SOURCE ((size_t)64 << 20) /* one .cu file */
#define JW_MAX_RTC_ARCHS ((size_t)128)      /* that one NVRTC names */
#define JW_MAX_RTC_LIBRARIES ((size_t)64)   /* NVRTC libraries of one machine */
#define JW_MAX_BUILD_NOTES ((size_t)1 << 16)   /* the notes of an ELF file, where its build-id is */
#define JW_MAX_STATE_RECORD ((size_t)32 << 20) /* a command that loads 100,000 modules */

/* minisign's files: it reads lines of 1,024 or 8,192 bytes; its keys cost this much. */
#define JW_MAX_MINISIGN_COMMENT ((size_t)1003)
#define JW_MAX_MINISIGN_TRUSTED ((size_t)8173)
#define JW_MAX_SCRYPT_WORK ((uint64_t)1 << 25)
#define JW_MAX_SCRYPT_MEMORY ((uint64_t)1 << 30)

/* What a probe of the driver needs, more than its caches take. */
#define JW_PROBE_ROOM ((uint64_t)4 << 20)

/* Limits of a pack. */
#define JW_MAX_MANIFEST ((size_t)16 << 20)   /* its text: 100,000 entries are about 10 MB */
#define JW_MAX_PACK_LIST ((size_t)4 << 20)   /* digests of its frames */
#define JW_MAX_PACK_FILE ((uint64_t)1 << 36) /* in a registry */
#define JW_MAX_PACK_ENTRIES ((size_t)100000)
#define JW_MAX_PACK_SOFTWARE ((size_t)4096) /* names of it */
#define JW_MAX_PACK_NAME ((size_t)255)      /* such a name, as long as a file system allows */
#define JW_MAX_PACK_WORD ((size_t)80)       /* a version, a build id */
#define JW_MAX_KEY_FILE ((size_t)1 << 16)
#define JW_MAX_TRUSTED_KEYS ((size_t)4096)
#define JW_MAX_SIGNATURE 16384 /* minisign's text: two comments and two lines */
