/* Files that minisign 0.11 made, of keys that were made to be published here. */
#pragma once

#define SIGNED_MESSAGE "hello\n"

#define PUBLIC_KEY                                                                                 \
    "untrusted comment: minisign public key 791A9F1864D572B7\n"                                    \
    "RWS3ctVkGJ8aef4AKxEdId8yF6J3tw6ob6LhuXvP2QeWuUaM9o53WlR8\n"

/* -G -W */
#define BARE_KEY                                                                                   \
    "untrusted comment: minisign encrypted secret key\n"                                           \
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAt3LVZBifGnnijGkE5Mx3" \
    "R2rBnVzYYB"                                                                                   \
    "oG"                                                                                           \
    "lWwp6f43xNFBqsOBnr92s/"                                                                       \
    "4AKxEdId8yF6J3tw6ob6LhuXvP2QeWuUaM9o53WlR8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"           \
    "AAA=\n"

#define PREHASHED                                                                                  \
    "untrusted comment: signature from minisign secret key\n"                                      \
    "RUS3ctVkGJ8aedxeCk4zbc17oZx/daXzqtWyIsMHiaBymmMgVpMeNr4w9fpd5J+DWdTt6Z/"                      \
    "lXO+tFHyjFmiz6YE+53aeVDDdywo=\n"                                                              \
    "trusted comment: timestamp:1795181673\tfile:f\thashed\n"                                      \
    "N8cAB0mV4NRT5GjqantHukxah8VSUX2GSpKCoX6OidM0raIBFSpsq5djWyuzFPxy2hZACawQz+eYkvbsu+MRCA==\n"

#define PREHASHED_TRUSTED "timestamp:1795181673\tfile:f\thashed"

/* -S -l -t 'hi there' -c un */
#define LEGACY                                                                                     \
    "untrusted comment: un\n"                                                                      \
    "RWS3ctVkGJ8aeftQM+"                                                                           \
    "7T1UlH60gSoyAHfTGKI6GeGdkq0qGgunvGKpFXfxQoLETx4d24o3ugPQsIKNxMZfZdeg64tXnY9DeKXQQ=\n"         \
    "trusted comment: hi there\n"                                                                  \
    "qmTauGcPU2cXwmHd0/O1kaHIbXKNn+oJOh26T7RHqYef62CQ4XZZQOm1Tz2qcFeNkJ7edqMs+5PrPaTpQ2uOAA==\n"

/* Another key, with the passphrase "pw"; and what -C -W makes of it. */
#define LOCKED_PUBLIC_KEY                                                                          \
    "untrusted comment: minisign public key 9429725AE4B1ECFC\n"                                    \
    "RWT87LHkWnIplIRfn7N53KuNqZiMxbPl/w8lbDoBBTy9WYgyCPwhu4sY\n"

#define LOCKED_KEY                                                                                 \
    "untrusted comment: minisign encrypted secret key\n"                                           \
    "RWRTY0IyvjAWAFo3nsR7rrPpTOOgHYaujXHx1C+Pem+"                                                  \
    "1gFZPXkoAAAACAAAAAAAAAEAAAAAA17FLsZJUyPw8MRsKZHuc2gDS75EElw3p"                                \
    "7VG/"                                                                                         \
    "8I5HcLmLNoEqqE13Ha6L7z29M8chPUypdvuqKKMXKj75YWBb5T7vrv3+"                                     \
    "tk07s9P3BzGRl7kUw18Z2Rj1jRp5dJVgmIzbvBTUnnbP"                                                 \
    "FgU=\n"

#define UNLOCKED_KEY                                                                               \
    "untrusted comment: minisign encrypted secret key\n"                                           \
    "RWQAAEIyvjAWAFo3nsR7rrPpTOOgHYaujXHx1C+Pem+1gFZPXkoAAAACAAAAAAAAAEAAAAAA/"                    \
    "Oyx5FpyKZRlhXxlGly9iIUcwUrzApEv"                                                              \
    "kCUOzKhZTfQPw5VfOX4xFYRfn7N53KuNqZiMxbPl/"                                                    \
    "w8lbDoBBTy9WYgyCPwhu4sYULDoMpXf99O3pvZoz+eed1ID6RPAIQyWLWovDyYx"                              \
    "PuI=\n"
