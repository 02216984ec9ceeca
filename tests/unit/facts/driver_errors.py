#!/usr/bin/env python3
"""driver_errors.py LIBCUDA: number, name and sentence of each error, as this driver gives them;
driver_errors.txt is what 555.58.02 said. Needs no GPU."""
import ctypes
import sys

driver, name, says = ctypes.CDLL(sys.argv[1]), ctypes.c_char_p(), ctypes.c_char_p()
for number in range(1, 1000):
    if driver.cuGetErrorName(number, ctypes.byref(name)) == 0 and name.value:
        driver.cuGetErrorString(number, ctypes.byref(says))
        print(number, name.value.decode(), says.value.decode())
