#!/usr/bin/python3
"""Hold report files against docs/report.schema.json: validate-report.py FILE...

Says what is wrong and where, a line each. Exit 1 if any file does not hold or cannot be read, 2 if none was given.
`--reject` turns it round: exit 0 only if every file is refused (for tests of the schema itself).
"""

import json
import pathlib
import sys

import jsonschema

LINES_MAX = 10  # a file
MESSAGE_MAX = 200
SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "docs" / "report.schema.json"


def unique(pairs):
    """An object of these members; the json module alone would let the last of two equal names win."""
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"twice in one object: {next(n for n in names if names.count(n) > 1)}")
    return members


def no_number(text):
    raise ValueError(f"not an integer: {text}")


def worded(error):
    """Where and what; of a long message its end, for that holds the reason."""
    error = jsonschema.exceptions.best_match([error])  # inside of "either ... or"
    message = error.message if len(error.message) <= MESSAGE_MAX else "..." + error.message[-MESSAGE_MAX:]
    return f"{'/'.join(map(str, error.absolute_path)) or 'top'}: {message}"


def faults(path, validator):
    """What is wrong with a file, a line each."""
    try:
        report = json.loads(pathlib.Path(path).read_text(encoding="ascii"), object_pairs_hook=unique,
                            parse_float=no_number, parse_constant=no_number)
    except ValueError as error:
        return [str(error)]
    return sorted(worded(error) for error in validator.iter_errors(report))


def main():
    reject = "--reject" in sys.argv
    files = [a for a in sys.argv[1:] if a != "--reject"]
    if not files:
        print(__doc__, file=sys.stderr)
        return 2
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    wrong = 0
    for path in files:
        try:
            found = faults(path, validator)
        except OSError as error:
            print(error)
            wrong += 1  # neither accepted nor refused
            continue
        for line in found[:LINES_MAX]:
            print(f"{path}: {line}")
        wrong += bool(found) != reject
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
