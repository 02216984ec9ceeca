"""Machines on which something was primed, and then one thing was changed."""
from . import software, cache, memory, drivers, settings, commands, packs, logins  # noqa: F401  their rows come in this order
from .row import STATES  # noqa: F401
