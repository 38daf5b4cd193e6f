"""sealed(record): its line with the digest that kbench would give it. `sealed.py FILE…` seals all lines of files."""

import hashlib
import json
import sys


def sealed(record):
    details = (record.get("evaluation") or {}).get("kbench")
    if details is None:
        return json.dumps(record)
    details.pop("digest", None)
    details["digest"] = None
    line = json.dumps(record)
    digest = hashlib.sha256(line.encode()).hexdigest()
    return '"digest": "{}"'.format(digest).join(line.rsplit('"digest": null', 1))


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            lines = [sealed(json.loads(line)) for line in file]
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
