=== text
skip on windows: the configuration folder is another one there
$ export JITWARM_STORE=/srv/packs
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"
$ printf "roots = /opt/ai\nroots = /srv/models\njobs = 4\n" > "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ CUDA_CACHE_PATH=/fast/cache CUDA_CACHE_MAXSIZE=2G JITWARM_STATE=/var/lib/jitwarm JITWARM_DRIVER=/opt/libcuda.so.1 "$JITWARM" config --color never | sed "s|/[^ ]*/jitwarm/jitwarm.conf|CONF|"
  SETTING             VALUE              FROM
  CUDA_CACHE_PATH     /fast/cache        environment
  CUDA_CACHE_MAXSIZE  2G                 environment
  CUDA_CACHE_DISABLE  0                  the driver's default
  roots               /opt/ai            CONF:1
  roots               /srv/models        CONF:2
  exclude             -                  default
  jobs                4                  CONF:3
  store_cap           2GiB               default
  trust               -                  default
  fleet               -                  default
  cacert              -                  default
  plain_http          -                  default
  color               never              --color
  JITWARM_STATE       /var/lib/jitwarm   environment
  JITWARM_STORE       /srv/packs         environment
  JITWARM_DRIVER      /opt/libcuda.so.1  environment
  JITWARM_LOGIN       -                  default

  * CUDA_CACHE_MAXSIZE=2G: the driver reads only the first digits (2 bytes), and
    caches nothing. Use digits only; jitwarm env recommends a value

=== json
skip on windows: JITWARM_DRIVER is a variable of Linux
$ export JITWARM_STORE=/srv/packs
$ CUDA_CACHE_PATH=/fast/cache CUDA_CACHE_MAXSIZE=2147483648 JITWARM_STATE=/var/lib/jitwarm "$JITWARM" config --json
  {
    "schema": "jitwarm.config/1",
    "settings": [
      {
        "name": "CUDA_CACHE_PATH",
        "value": "/fast/cache",
        "from": "environment"
      },
      {
        "name": "CUDA_CACHE_MAXSIZE",
        "value": "2147483648",
        "from": "environment"
      },
      {
        "name": "CUDA_CACHE_DISABLE",
        "value": "0",
        "from": "the driver's default"
      },
      {
        "name": "roots",
        "value": null,
        "from": "default"
      },
      {
        "name": "exclude",
        "value": null,
        "from": "default"
      },
      {
        "name": "jobs",
        "value": "half the CPUs",
        "from": "default"
      },
      {
        "name": "store_cap",
        "value": "2GiB",
        "from": "default"
      },
      {
        "name": "trust",
        "value": null,
        "from": "default"
      },
      {
        "name": "fleet",
        "value": null,
        "from": "default"
      },
      {
        "name": "cacert",
        "value": null,
        "from": "default"
      },
      {
        "name": "plain_http",
        "value": null,
        "from": "default"
      },
      {
        "name": "color",
        "value": "auto",
        "from": "default"
      },
      {
        "name": "JITWARM_STATE",
        "value": "/var/lib/jitwarm",
        "from": "environment"
      },
      {
        "name": "JITWARM_STORE",
        "value": "/srv/packs",
        "from": "environment"
      },
      {
        "name": "JITWARM_DRIVER",
        "value": null,
        "from": "default"
      },
      {
        "name": "JITWARM_LOGIN",
        "value": null,
        "from": "default"
      }
    ],
    "notes": []
  }

=== trust
skip on windows: modes are those of Linux
in: config
$ export JITWARM_STORE=/srv/packs
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm/keys"
$ chmod -R go-w "$XDG_CONFIG_HOME/jitwarm"
$ (cat tests.pub; echo "# origins: torch libfoo*") > "$XDG_CONFIG_HOME/jitwarm/keys/team.pub"
$ printf "store_cap = 5G\ntrust = %s\n" "$(sed -n 2p tests.pub)" > "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ chmod -R go-w "$XDG_CONFIG_HOME/jitwarm"
$ CUDA_CACHE_PATH=/fast/cache JITWARM_STATE=/var/lib/jitwarm "$JITWARM" config --color never | grep -E "^(trust|store)" | sed "s|/[^ ]*/jitwarm/|CONF/|"
$ chmod o+w "$XDG_CONFIG_HOME/jitwarm/keys"
$ CUDA_CACHE_PATH=/fast/cache JITWARM_STATE=/var/lib/jitwarm "$JITWARM" config --color never 2>&1 | grep -E "trust" | sed "s|/[^ ]*/jitwarm/|CONF/|"
  store_cap           5G                                  CONF/jitwarm.conf:1
  trust               0807060504030201 for torch libfoo*  CONF/keys/team.pub
  trust               0807060504030201                    CONF/jitwarm.conf:2
  jitwarm: CONF/keys: everybody may write to this folder and so could decide whose packs you trust; take that right away first (chmod go-w)
  trust               -                 refused

=== bad-file
skip on windows: the configuration folder is another one there
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"
$ printf "root = /opt/ai\njobs = many\nroots = relative\nnonsense\n" > "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ "$JITWARM" config 2>&1 | grep -E "jitwarm.conf|^jobs" | sed "s|/[^ ]*/jitwarm/jitwarm.conf|CONF|"
  jitwarm: CONF:1: unknown key "root"; did you mean "roots"?
  jitwarm: CONF:2: jobs is a number from 1 to 1024, not "many"
  jitwarm: CONF:3: "relative" is not an absolute path
  jitwarm: CONF:4: this is not a "key = value" line
  jobs                half the CPUs                                      default

=== login-is-secret
skip on windows: JITWARM_DRIVER is a variable of Linux
$ JITWARM_LOGIN=ada:hunter2 "$JITWARM" config | grep LOGIN
  JITWARM_LOGIN       (not shown)                                        environment

=== sample
skip on windows: the configuration folder is another one there
$ "$JITWARM" config --sample
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"
$ "$JITWARM" config --sample | sed -n "/trust/d; s/^#\([a-z_]* = \)/\1/p" >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ "$JITWARM" config 2>&1 | grep jitwarm.conf | sed "s|/[^ ]*/jitwarm/jitwarm.conf|CONF|"
  # jitwarm.conf: settings of jitwarm. Remove the # before a line that you want to
  # use.
  # The file of the machine is /etc/jitwarm/jitwarm.conf; that of a user is
  # ~/.config/jitwarm/jitwarm.conf. The user's file counts more; lists add up.

  # A folder to search for CUDA software, besides the usual places. An absolute
  # path, or one that begins with ~/.
  # May be repeated.
  #roots = /opt/models

  # Files and folders that scan, plan and prime skip. * and ? are as in a shell; a
  # pattern without / is compared with names.
  # May be repeated.
  #exclude = */old-envs/*

  # How many modules prime compiles at the same time.
  # Default: half the CPUs
  #jobs = 4

  # How large the store of packs may grow. Over this, import deletes the packs
  # that were used longest ago.
  # Default: 2GiB
  #store_cap = 8GiB

  # A minisign public key. import accepts packs that are signed with it. It is the
  # second line of a .pub file.
  # May be repeated.
  #trust = RWQ...

  # A GPU architecture that `--gpu fleet` stands for.
  # May be repeated.
  #fleet = sm_80

  # The certificate authority of your registry, for push, pull, `prime --push` and
  # `run --pull`. An absolute path; the last line counts.
  # Default: the system's
  #cacert = /etc/ssl/team-ca.pem

  # A registry or web server, HOST[:PORT], that is asked without TLS.
  # May be repeated.
  #plain_http = reg.example:5000
  roots               /opt/models                                        CONF:1
  exclude             */old-envs/*                                       CONF:2
  jobs                4                                                  CONF:3
  store_cap           8GiB                                               CONF:4
  fleet               sm_80                                              CONF:5
  cacert              /etc/ssl/team-ca.pem                               CONF:6
  plain_http          reg.example:5000                                   CONF:7
