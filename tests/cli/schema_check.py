#!/usr/bin/env python3
"""schema_check.py ANSWERS SCHEMAS

Validates every *.json below ANSWERS against the JSON Schema whose properties.schema.const is the answer's own "schema" field. Each schema
is used as a stranger uses it: copied alone into an empty folder, from which the check runs, without its neighbours.
Exit 77: python3-jsonschema is not here, or there is nothing to check.
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIP: there is no python3-jsonschema")
    sys.exit(77)


def load_schemas(folder):
    schemas = {}
    for path in sorted(folder.glob("*.json")):
        with tempfile.TemporaryDirectory() as alone:
            copy = pathlib.Path(shutil.copy(path, alone))
            schema = json.loads(copy.read_text(encoding="utf-8"))
        if schema.get("$id") != path.name:
            sys.exit(f"{path}: its $id is not its name")
        for ref in references(schema):
            if not ref.startswith("#"):
                sys.exit(f"{path}: refers to {ref}, which whoever has this file alone cannot resolve")
        jsonschema.Draft7Validator.check_schema(schema)
        name = schema["properties"]["schema"]["const"]
        if name in schemas:
            sys.exit(f"{path}: a second schema for {name}")
        schemas[name] = jsonschema.Draft7Validator(schema)
        follow(schemas[name], path)
    return schemas


def references(node):
    """Every "$ref" below a node."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key == "$ref" and isinstance(value, str):
            yield value
        else:
            yield from references(value)


def follow(validator, path):
    """Each "$ref" leads to something: answers may not come by all of them."""
    for ref in set(references(validator.schema)):
        node = validator.schema
        for part in ref[1:].split("/")[1:]:
            if part not in node:
                sys.exit(f"{path}: {ref} leads nowhere")
            node = node[part]


def problems_of(path, schemas):
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as e:
        return [f"is not JSON: {e}"]
    name = answer.get("schema")
    if name not in schemas:
        return [f"says that it is {name!r}, and there is no schema of that name"]
    return [f"/{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in schemas[name].iter_errors(answer)]


def main():
    answers, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    paths = sorted(answers.rglob("*.json"))
    if not paths:
        print(f"SKIP: no answers in {answers}; run the golden tests first")
        sys.exit(77)
    if not folder.is_dir():
        sys.exit(f"{folder}: there is no such folder")
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)
        failed = check(paths, load_schemas(folder))
        os.chdir("/")
    sys.exit(1 if failed else 0)


def check(paths, schemas):
    failed = 0
    for path in paths:
        problems = problems_of(path, schemas)
        failed += bool(problems)
        for problem in problems:
            print(f"{path.name} {problem}")
    print(f"{len(paths)} answers, {len(schemas)} schemas, {failed} failed")
    return failed


if __name__ == "__main__":
    main()
