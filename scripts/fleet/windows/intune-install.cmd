@echo off
rem A Win32 app of Intune, "Install behavior: User", for the driver's cache belongs to the user. Exit codes: 0 done, 1618 try again
rem later (another prime, no time left), 1603 failed. Detection rule: intune-detect.ps1.
jitwarm prime --profile intune --yes --time-box 50m
exit /b %ERRORLEVEL%
