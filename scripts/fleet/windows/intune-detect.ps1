# Intune's detection: something on standard output and exit 0 is "installed". After a driver update it is not, and Intune runs
# the install again.
& jitwarm verify --quiet *> $null
if ($LASTEXITCODE -eq 0) { Write-Output "warm"; exit 0 }
exit 1
