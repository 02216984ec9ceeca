#!/usr/bin/env python3
"""schema_check.py ANSWERS SCHEMAS

Validates every *.json below ANSWERS against the JSON Schema whose properties.schema.const is the answer's own "schema" field. What a
schema shares with another one ("$ref") is looked up by that one's "$id", the name of its file.
Exit 77: python3-jsonschema is not here, or there is nothing to check.
"""
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # RefResolver: what replaces it is not in older releases
try:
    import jsonschema
except ImportError:
    print("SKIP: there is no python3-jsonschema")
    sys.exit(77)


def load_schemas(folder):
    schemas = {}
    files = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    by_id = {schema.get("$id"): schema for schema in files.values()}
    for path, schema in files.items():
        if schema.get("$id") != path.name:
            sys.exit(f"{path}: its $id is not its name")
        jsonschema.Draft7Validator.check_schema(schema)
        name = schema["properties"]["schema"]["const"]
        if name in schemas:
            sys.exit(f"{path}: a second schema for {name}")
        schemas[name] = jsonschema.Draft7Validator(schema, resolver=jsonschema.RefResolver(path.name, schema, store=by_id))
    return schemas


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
    answers, folder = (pathlib.Path(a) for a in sys.argv[1:3])
    paths = sorted(answers.rglob("*.json"))
    if not paths:
        print(f"SKIP: no answers in {answers}; run the golden tests first")
        sys.exit(77)
    if not folder.is_dir():
        sys.exit(f"{folder}: there is no such folder")
    schemas = load_schemas(folder)
    failed = 0
    for path in paths:
        problems = problems_of(path, schemas)
        failed += bool(problems)
        for problem in problems:
            print(f"{path.name} {problem}")
    print(f"{len(paths)} answers, {len(schemas)} schemas, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
