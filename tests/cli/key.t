=== driver-away
$ JITWARM_DRIVER=/nowhere/libcuda.so.1 JITWARM_STATE="$PWD/state" "$JITWARM" key
!  jitwarm: the driver is unknown (no CUDA driver was found), and no driver was used here before
exit 3

=== gpu
$ simulated_driver; "$JITWARM" key --gpu sm_90 --gpu 8.6
* jitwarm1-linux-*-sm_86-sm_90-20260107-625146

=== gpu-unknown
$ simulated_driver; "$JITWARM" key --gpu sm
!  jitwarm key: --gpu: no GPU is called "sm"; name one as sm_86, 8.6, 10de:2484 or "RTX 3070" (jitwarm help key)
exit 2

=== itself
$ simulated_driver; "$JITWARM" key
* jitwarm1-linux-*-sm_86-20260107-625146
