#!/usr/bin/env python3
"""only.py KEY... <ANSWER: these fields of an answer in JSON, a line each; counts.warm is a field of a field, jobs.state that of each job.
only.py -KEY... <ANSWER: all of it but these, which another verb's transcript shows.
"""
import json
import sys


def at(value, key):
    """What stands there; of a list a list of that in each."""
    if isinstance(value, list):
        return [at(item, key) for item in value]
    part, _, rest = key.partition(".")
    return at(value[part], rest) if rest else value[part]


raw = sys.stdin.buffer.read()
if b"\r\n" in raw:
    sys.exit("the answer holds \\r\\n")
answer = json.loads(raw)
if all(name.startswith("-") for name in sys.argv[1:]):
    kept = {key: value for key, value in answer.items() if f"-{key}" not in sys.argv}
    print(json.dumps(kept, ensure_ascii=False, indent=2))
    sys.exit()
for name in sys.argv[1:]:
    print(f"{name}: {json.dumps(at(answer, name), ensure_ascii=False)}")
