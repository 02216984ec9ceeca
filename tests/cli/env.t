case shown: simulated_driver
$ CUDA_CACHE_MAXSIZE=4G jitwarm env
Limit 4 B*
CUDA_CACHE_PATH {work}/cache; in a fresh login unset
$ jitwarm env --json
keys env

case dry-run:
skip windows
$ jitwarm env apply --dry-run
*environment.d/jitwarm.conf
$ test ! -e "$XDG_CONFIG_HOME/environment.d/jitwarm.conf"
